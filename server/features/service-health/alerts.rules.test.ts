import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Alert,
  afterLook,
  afterSending,
  leaseMs,
  quiet,
  relapseSettledMs,
  retryMaxMs,
  retryMinMs,
  settledMs,
  type Word,
} from './alerts.rules.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const began = 100 * day;

/** One trouble, looked at by a process whose mails are accepted at once unless told otherwise. */
function life() {
  let alert: Alert = quiet;
  const told: { word: Word; atMs: number; alert: Alert }[] = [];
  return {
    told,
    words: () => told.map(({ word }) => word),
    kept: () => alert,
    look(nowMs: number, troubledSinceMs: number | null, isAccepted: boolean | 'unknown' = true): Word | null {
      const looked = afterLook(alert, { troubledSinceMs, nowMs });
      alert = looked.alert;
      if (looked.word === null) return null;
      if (isAccepted !== 'unknown') alert = afterSending(alert, { word: looked.word, isAccepted, nowMs });
      if (isAccepted) told.push({ word: looked.word, atMs: nowMs, alert });
      return looked.word;
    },
  };
}

describe('a trouble', () => {
  test('is told once a day for as long as it lasts', () => {
    const it = life();
    for (let at = began; at <= began + 2 * day + hour; at += minute) it.look(at, began - 15 * minute);
    expect(it.told.map(({ word, atMs }) => [word, atMs - began])).toEqual([
      ['alarm', 0],
      ['alarm', day],
      ['alarm', 2 * day],
    ]);
  });

  test('keeps the moment at which it began, whatever later looks find', () => {
    const it = life();
    it.look(began, began - hour);
    it.look(began + minute, began - minute);
    expect(it.kept().sinceMs).toBe(began - hour);
  });

  test('that never was says nothing, and nothing of it is kept', () => {
    const it = life();
    for (let at = began; at < began + day; at += hour) it.look(at, null);
    expect(it.kept()).toEqual(quiet);
    expect(it.words()).toEqual([]);
  });

  test('is told to be over once, and not before it has been well for some minutes', () => {
    const it = life();
    it.look(began, began);
    const back = began + hour;
    expect(it.look(back, null)).toBeNull();
    expect(it.look(back + settledMs - 1, null)).toBeNull();
    expect(it.look(back + settledMs, null)).toBe('all_clear');
    for (let at = back + settledMs; at < back + 2 * day; at += hour) expect(it.look(at, null)).toBeNull();
    expect(it.kept()).toEqual({ ...quiet, mails: 2, toldAtMs: back + settledMs });
  });

  test('that is interrupted for a moment goes on as the same one', () => {
    const it = life();
    it.look(began, began);
    it.look(began + hour, null);
    it.look(began + hour + minute, began + hour);
    expect(it.kept()).toMatchObject({ sinceMs: began, wellSinceMs: null, isTold: true });
    expect(it.look(began + day, began)).toBe('alarm');
  });

  test('that comes back within a day is told at once, and over only after a whole day', () => {
    const it = life();
    it.look(began, began);
    it.look(began + hour, null);
    it.look(began + hour + settledMs, null);
    expect(it.look(began + 2 * hour, began + 2 * hour)).toBe('alarm');
    expect(it.kept().isRelapse).toBe(true);
    const back = began + 3 * hour;
    it.look(back, null);
    expect(it.look(back + hour, null)).toBeNull();
    expect(it.look(back + relapseSettledMs - 1, null)).toBeNull();
    expect(it.look(back + relapseSettledMs, null)).toBe('all_clear');
    expect(it.words()).toEqual(['alarm', 'all_clear', 'alarm', 'all_clear']);
  });

  test('that comes back after more than a day is one like the first', () => {
    const it = life();
    it.look(began, began);
    it.look(began + hour, null);
    it.look(began + hour + settledMs, null);
    const later = began + hour + settledMs + day;
    it.look(later, later);
    expect(it.kept().isRelapse).toBe(false);
  });

  test('that nobody tried to tell is forgotten when it is over', () => {
    const held = { ...quiet, sinceMs: began, nextTryAtMs: null };
    expect(afterLook(held, { troubledSinceMs: null, nowMs: began + minute })).toEqual({ alert: quiet, word: null });
  });
});

describe('a mail that is not accepted', () => {
  test('is tried again, later and later, and never less often than the longest wait', () => {
    const it = life();
    const tries: number[] = [];
    for (let at = began; at < began + 3 * day; at += minute) if (it.look(at, began, false)) tries.push(at);
    const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    expect(waits[0]).toBe(retryMinMs);
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(Math.max(...waits)).toBe(retryMaxMs);
  });

  test('is told when it is accepted at last, and the day counts from there', () => {
    const it = life();
    it.look(began, began, false);
    expect(it.look(began + retryMinMs, began)).toBe('alarm');
    expect(it.look(began + day, began)).toBeNull();
    expect(it.look(began + retryMinMs + day, began)).toBe('alarm');
  });

  test('is followed by the word that it is over, since a try may have arrived unknown to us', () => {
    const it = life();
    it.look(began, began, false);
    it.look(began + hour, null);
    expect(it.look(began + hour + settledMs, null)).toBe('all_clear');
  });
});

describe('the lease', () => {
  test('keeps a mail to the process that sends it, and gives it to another where that one ended', () => {
    const it = life();
    expect(it.look(began, began, 'unknown')).toBe('alarm');
    expect(it.look(began + 1, began)).toBeNull();
    expect(it.look(began + leaseMs - 1, began)).toBeNull();
    expect(it.look(began + leaseMs, began)).toBe('alarm');
    expect(it.kept()).toMatchObject({ isTold: true, leaseUntilMs: null, tries: 0 });
  });

  test('does not lose what was seen meanwhile', () => {
    const first = afterLook(quiet, { troubledSinceMs: began, nowMs: began });
    const seen = afterLook(first.alert, { troubledSinceMs: null, nowMs: began + minute });
    const sent = afterSending(seen.alert, { word: 'alarm', isAccepted: true, nowMs: began + 2 * minute });
    expect(sent).toMatchObject({ isTold: true, wellSinceMs: began + minute });
  });
});

describe('a clock that went back', () => {
  test.each([
    ['an alarm that was told later than now', { isTold: true, toldAtMs: began + 90 * day }],
    ['a lease that ends months from now', { leaseUntilMs: began + 90 * day }],
    ['a next try that is months from now', { nextTryAtMs: began + 90 * day }],
  ])('silences nobody: %s', (_, left) => {
    const before = { ...quiet, sinceMs: began, ...left };
    expect(afterLook(before, { troubledSinceMs: began, nowMs: began + hour }).word).toBe('alarm');
  });
});

test('whatever happens, a day brings three mails at most, and no two that say the same follow each other within it', () => {
  const step = fc.record({
    minutes: fc.integer({ min: 1, max: 400 }),
    isTroubled: fc.boolean(),
    isAccepted: fc.constantFrom(true, true, true, false, 'unknown' as const),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 200 }), (steps) => {
      const it = life();
      let nowMs = began;
      for (const { minutes, isTroubled, isAccepted } of steps) {
        nowMs += minutes * minute;
        it.look(nowMs, isTroubled ? nowMs : null, isAccepted);
      }
      // A try whose end nobody knows is the same mail when it is sent again.
      const different = new Map(it.told.map((one) => [`${one.word} ${one.alert.mails}`, one]));
      const known = [...different.values()].filter(({ alert }) => alert.leaseUntilMs === null);
      for (const { atMs } of known) {
        expect(known.filter((other) => other.atMs > atMs - day && other.atMs <= atMs).length).toBeLessThanOrEqual(3);
      }
      known.forEach(({ word, atMs }, index) => {
        const before = known[index - 1];
        if (word === before?.word) expect(atMs - before.atMs).toBeGreaterThanOrEqual(day);
      });
    }),
    { numRuns: 500 },
  );
});
