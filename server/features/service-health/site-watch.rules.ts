const minuteMs = 60_000;

/** How often a worker asks the site. */
export const askEveryMs = minuteMs;
/** The longest that an answer may take. */
export const askTimeoutMs = 10_000;
/** The operator is told once the site has not answered for so long. */
export const siteSilentMs = 5 * minuteMs;
/** Questions further apart than this say nothing of the time between them. */
export const askGapMs = 5 * minuteMs;
/** An answer to any worker speaks for the site for so long: one missed answer, or one worker without a way there, is no outage. */
export const answerVouchesMs = 90_000;

/** What is known of the site as it is seen from outside. */
export type SiteRecord = {
  address: string;
  askedAtMs: number;
  answeredAtMs: number | null;
  failingSinceMs: number | null;
  backAtMs: number | null;
  reason: string | null;
};

/** One question to the site: `reason` tells why there was no answer, and is null where there was one. */
export type Asked = { address: string; nowMs: number; reason: string | null };

/** What is known after a question. A site that never answered at this address is not failing: it may not be meant to. */
export function afterAsk(known: SiteRecord | null, { address, nowMs, reason }: Asked): SiteRecord {
  const before = known?.address === address ? known : nothingKnown(address, nowMs);
  const asked = { ...before, askedAtMs: nowMs, reason };
  if (reason === null) {
    const backAtMs = before.failingSinceMs === null ? before.backAtMs : nowMs;
    return { ...asked, answeredAtMs: nowMs, failingSinceMs: null, backAtMs };
  }
  const { answeredAtMs, failingSinceMs, askedAtMs } = before;
  if (answeredAtMs === null || isWithin(answeredAtMs, nowMs, answerVouchesMs)) return asked;
  const goesOn = failingSinceMs !== null && isWithin(askedAtMs, nowMs, askGapMs);
  return { ...asked, failingSinceMs: goesOn ? failingSinceMs : nowMs };
}

/** Since when the site has not answered, where that is long enough for an alarm. */
export function unansweredSince({ failingSinceMs }: SiteRecord, nowMs: number): number | null {
  return failingSinceMs !== null && nowMs - failingSinceMs >= siteSilentMs ? failingSinceMs : null;
}

/**
 * Until when the site is known not to have answered: now, or when it came back. Time before that is not healthy, since
 * nobody could press a button. Null where nothing is known, as while no worker asks.
 */
export function siteDownUntil({ failingSinceMs, askedAtMs, backAtMs }: SiteRecord, nowMs: number): number | null {
  if (failingSinceMs !== null) return Math.abs(nowMs - askedAtMs) <= askGapMs ? nowMs : null;
  return backAtMs !== null && backAtMs <= nowMs ? backAtMs : null;
}

function nothingKnown(address: string, nowMs: number): SiteRecord {
  return { address, askedAtMs: nowMs, answeredAtMs: null, failingSinceMs: null, backAtMs: null, reason: null };
}

/** At most `ms` ago; what lies ahead was written under a clock that was wrong. */
function isWithin(atMs: number, nowMs: number, ms: number): boolean {
  return atMs <= nowMs && nowMs - atMs <= ms;
}
