import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterAsk,
  answerVouchesMs,
  askGapMs,
  type SiteRecord,
  siteDownUntil,
  siteSilentMs,
  unansweredSince,
} from './site-watch.rules.ts';
import { checkLateMs, isBehind, isCheckLate, isMailLate, mailLateMs } from './state.rules.ts';
import { silentSince, workerSilentMs } from './worker-watch.rules.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = 100 * day;
const address = 'https://vault.example';

/** Asks once a minute; each word says what came of it. */
function asked(answers: readonly (string | null)[], { from = now, at = address, every = minute } = {}) {
  return answers.reduce<SiteRecord | null>(
    (known, reason, index) => afterAsk(known, { address: at, nowMs: from + index * every, reason }),
    null,
  ) as SiteRecord;
}
const refused = 'ECONNREFUSED';
const times = (count: number, word: string | null) => Array.from({ length: count }, () => word);

describe('a worker', () => {
  const watchedSinceMs = now - day;

  test('is heard of while its last heartbeat is younger than a quarter of an hour', () => {
    expect(silentSince({ lastBeatMs: now - workerSilentMs + 1, watchedSinceMs, nowMs: now })).toBeNull();
    expect(silentSince({ lastBeatMs: now - workerSilentMs, watchedSinceMs, nowMs: now })).toBe(now - workerSilentMs);
  });

  test('whose heartbeat lies ahead, under a clock that went back, is not silent', () => {
    expect(silentSince({ lastBeatMs: now + day, watchedSinceMs, nowMs: now })).toBeNull();
  });

  test('that never ran is silent a quarter of an hour after somebody began to watch', () => {
    const look = { lastBeatMs: null, watchedSinceMs: now };
    expect(silentSince({ ...look, nowMs: now + workerSilentMs - 1 })).toBeNull();
    expect(silentSince({ ...look, nowMs: now + workerSilentMs })).toBe(now);
  });
});

describe('the site', () => {
  test('that never answered at its address is not missed, however long it says nothing', () => {
    const record = asked(times(60, refused));
    expect(unansweredSince(record, now + day)).toBeNull();
    expect(siteDownUntil(record, now + hour)).toBeNull();
    expect(record).toMatchObject({ answeredAtMs: null, reason: refused });
  });

  test('is missed once it has not answered for some minutes, and had before', () => {
    const record = asked([null, ...times(7, refused)]);
    // The first missed answer is vouched for by the one before it.
    expect(record.failingSinceMs).toBe(now + 2 * minute);
    expect(unansweredSince(record, now + 2 * minute + siteSilentMs - 1)).toBeNull();
    expect(unansweredSince(record, now + 2 * minute + siteSilentMs)).toBe(now + 2 * minute);
  });

  test('is not missed for one answer that did not come', () => {
    const record = asked([null, refused, null, refused, null, refused]);
    expect(record.failingSinceMs).toBeNull();
    expect(record.backAtMs).toBeNull();
  });

  test('is not missed where one of two workers has no way there', () => {
    const answers = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? null : refused));
    const record = asked(answers, { every: minute / 2 });
    expect(record.failingSinceMs).toBeNull();
    expect(siteDownUntil(record, now + hour)).toBeNull();
  });

  test('is asked anew at another address, and what is known of the one before says nothing', () => {
    const known = asked([null, ...times(9, refused)]);
    const moved = afterAsk(known, { address: 'https://new.example', nowMs: now + hour, reason: refused });
    expect(moved).toMatchObject({ answeredAtMs: null, failingSinceMs: null, backAtMs: null });
  });

  test('that no worker asked for a while begins its silence anew', () => {
    const known = asked([null, refused, refused]);
    const nextDay = now + day;
    expect(afterAsk(known, { address, nowMs: nextDay, reason: refused }).failingSinceMs).toBe(nextDay);
    const soon = (known.askedAtMs ?? 0) + askGapMs;
    expect(afterAsk(known, { address, nowMs: soon, reason: refused }).failingSinceMs).toBe(known.failingSinceMs);
  });

  test('that answers again tells when, and its reason is forgotten', () => {
    const record = asked([null, refused, refused, refused, null]);
    expect(record).toMatchObject({ failingSinceMs: null, reason: null, backAtMs: now + 4 * minute });
  });
});

describe('time in which the site does not answer', () => {
  test('reaches up to now while it goes on, and to the first answer once it is over', () => {
    const failing = asked([null, refused, refused, refused]);
    expect(siteDownUntil(failing, now + 4 * minute)).toBe(now + 4 * minute);
    const back = afterAsk(failing, { address, nowMs: now + 5 * minute, reason: null });
    expect(siteDownUntil(back, now + 9 * minute)).toBe(now + 5 * minute);
  });

  test('is not known while nobody asks', () => {
    const failing = asked([null, refused, refused]);
    expect(siteDownUntil(failing, failing.askedAtMs + askGapMs + 1)).toBeNull();
  });

  test('never lies ahead', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), fc.integer({ min: -day, max: day }), (answers, later) => {
        if (answers.length === 0) return;
        const record = asked(answers.map((isThere) => (isThere ? null : refused)));
        const nowMs = now + later;
        expect(siteDownUntil(record, nowMs) ?? nowMs).toBeLessThanOrEqual(nowMs);
      }),
    );
  });

  test('is never without an answer before it', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), (answers) => {
        const record = asked(answers.map((isThere) => (isThere ? null : refused)));
        const lastAnswer = answers.lastIndexOf(true);
        const missed = answers.length - 1 - lastAnswer;
        const isFailing = lastAnswer >= 0 && missed * minute > answerVouchesMs;
        expect(record.failingSinceMs !== null).toBe(isFailing);
      }),
    );
  });
});

describe('what the panel and the doctor call wrong', () => {
  test('is a clock behind a time it has shown, a check that is late, and mail that waits longer than a round', () => {
    expect([isBehind(null, now), isBehind(now + 2_000, now), isBehind(now + 2_001, now)]).toEqual([false, false, true]);
    expect([
      isCheckLate(null, now),
      isCheckLate(now - checkLateMs, now),
      isCheckLate(now - checkLateMs - 1, now),
    ]).toEqual([false, false, true]);
    expect([isMailLate(null, now), isMailLate(now - mailLateMs, now), isMailLate(now - mailLateMs - 1, now)]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
