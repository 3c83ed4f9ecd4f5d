import { dayMs } from '#shared/rules/inactivity.ts';

/** An alarm is repeated for as long as the trouble lasts, once in this time. */
export const alarmEveryMs = dayMs;
/** What has been well for so long is over. */
export const settledMs = 5 * 60_000;
/** What came back within a day of the last mail has to be well for so long, or it would write at every coming and going. */
export const relapseSettledMs = dayMs;
/** How long other processes leave a mail to the one that is sending it; longer than any mail takes. */
export const leaseMs = 5 * 60_000;
/** A mail that was not accepted is tried again after this time, then after twice as long, and so on up to the longest. */
export const retryMinMs = 5 * 60_000;
export const retryMaxMs = 6 * 3_600_000;

/** What is kept about one trouble. */
export type Alert = {
  sinceMs: number | null;
  wellSinceMs: number | null;
  isTold: boolean;
  toldAtMs: number | null;
  isRelapse: boolean;
  mails: number;
  tries: number;
  nextTryAtMs: number | null;
  leaseUntilMs: number | null;
};

export const quiet: Alert = {
  sinceMs: null,
  wellSinceMs: null,
  isTold: false,
  toldAtMs: null,
  isRelapse: false,
  mails: 0,
  tries: 0,
  nextTryAtMs: null,
  leaseUntilMs: null,
};

/** What the operator is to be told. */
export type Word = 'alarm' | 'all_clear';

/** What somebody saw: since when there is trouble, or null where all is well. */
export type Look = { troubledSinceMs: number | null; nowMs: number };

/**
 * One look at a trouble. Gives what is kept from now on, and the word that is to be sent by whoever writes that down: it holds
 * the lease then, so that nobody else sends it.
 */
export function afterLook(before: Alert, look: Look): { alert: Alert; word: Word | null } {
  const seen = look.troubledSinceMs === null ? seenWell(before, look.nowMs) : seenTroubled(before, look);
  const word = dueWord(seen, look);
  if (word === null || !isFree(seen, look.nowMs)) return { alert: seen, word: null };
  return { alert: { ...seen, tries: seen.tries + 1, leaseUntilMs: look.nowMs + leaseMs }, word };
}

function seenTroubled(before: Alert, { troubledSinceMs, nowMs }: Look): Alert {
  if (before.sinceMs !== null) return { ...before, wellSinceMs: null };
  const isRelapse = isWithin(before.toldAtMs, nowMs, relapseSettledMs);
  return { ...before, ...nothingTried, sinceMs: troubledSinceMs, wellSinceMs: null, isTold: false, isRelapse };
}

function seenWell(before: Alert, nowMs: number): Alert {
  if (before.sinceMs === null) return before;
  // Nobody was told, and nobody tried to: there is nothing to take back. A try may have arrived unknown to us.
  if (!before.isTold && before.tries === 0) return over(before);
  const wellSinceMs = before.wellSinceMs ?? nowMs;
  return { ...before, wellSinceMs };
}

function dueWord({ sinceMs, wellSinceMs, isTold, toldAtMs, isRelapse }: Alert, { nowMs }: Look): Word | null {
  if (sinceMs === null) return null;
  if (wellSinceMs === null) return isTold && isWithin(toldAtMs, nowMs, alarmEveryMs) ? null : 'alarm';
  return isWithin(wellSinceMs, nowMs, isRelapse ? relapseSettledMs : settledMs) ? null : 'all_clear';
}

/** Whether the mail that is due may be sent now: nobody else is sending it, and its last try is long enough ago. */
function isFree({ leaseUntilMs, nextTryAtMs }: Alert, nowMs: number): boolean {
  return !isAhead(leaseUntilMs, nowMs, leaseMs) && !isAhead(nextTryAtMs, nowMs, retryMaxMs);
}

/** What is kept after the mail was handed over, or was not taken. `word` is what it said. */
export function afterSending(before: Alert, sent: { word: Word; isAccepted: boolean; nowMs: number }): Alert {
  const { word, isAccepted, nowMs } = sent;
  if (!isAccepted) return { ...before, leaseUntilMs: null, nextTryAtMs: nowMs + retryAfterMs(before.tries) };
  const told = { ...before, ...nothingTried, mails: before.mails + 1, toldAtMs: nowMs };
  return word === 'all_clear' ? over(told) : { ...told, isTold: true };
}

function retryAfterMs(tries: number): number {
  return Math.min(retryMaxMs, retryMinMs * 2 ** Math.max(0, tries - 1));
}

const nothingTried = { tries: 0, nextTryAtMs: null, leaseUntilMs: null };

/** When the last mail was is kept, for what comes back soon. */
function over({ toldAtMs, mails }: Alert): Alert {
  return { ...quiet, toldAtMs, mails };
}

/** Less than `ms` ago. What lies ahead was written under a clock that was wrong, and counts for nothing. */
function isWithin(atMs: number | null, nowMs: number, ms: number): boolean {
  return atMs !== null && atMs <= nowMs && nowMs - atMs < ms;
}

/** Still to come, and not further than it can have been set. */
function isAhead(atMs: number | null, nowMs: number, mostMs: number): boolean {
  return atMs !== null && atMs > nowMs && atMs - nowMs <= mostMs;
}
