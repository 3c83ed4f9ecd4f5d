import { describe, expect, it } from 'vitest';
import {
  type AttemptOutcome,
  type DeliveryPolicy,
  isLongRefused,
  longestWaitMs,
  shortestWaitMs,
  stepAfterAttempt,
  triedForMs,
  waitAfterAttemptMs,
} from './notifications.retry.rules.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Lives through a message that always meets the same answer. */
function live(policy: DeliveryPolicy, outcome: AttemptOutcome, hasWitness = true) {
  const attemptsInVain = 0;
  const attemptsAtMs: number[] = [];
  let nowMs = 0;
  for (let attempts = 1; attempts < 1_000; attempts += 1) {
    attemptsAtMs.push(nowMs);
    const refusals = outcome === 'refused' ? attempts : 0;
    const facts = { policy, outcome, attempts, attemptsInVain, refusals, firstDueMs: 0, nowMs, hasWitness };
    const step = stepAfterAttempt(facts);
    if (step.status !== 'pending') return { end: step.status, attemptsAtMs };
    nowMs = step.nextAttemptMs;
  }
  throw new Error('It never ends.');
}

describe('the wait between two attempts', () => {
  it('doubles from one minute to six hours and stays there', () => {
    const minutes = Array.from({ length: 12 }, (_, index) => waitAfterAttemptMs(index + 1) / minuteMs);
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
  });

  it('is never less than a minute nor more than six hours, however many attempts there were', () => {
    for (const attempts of [0, 1, 2, 50, 1_000, 1e9]) {
      expect(waitAfterAttemptMs(attempts)).toBeGreaterThanOrEqual(shortestWaitMs);
      expect(waitAfterAttemptMs(attempts)).toBeLessThanOrEqual(longestWaitMs);
    }
  });
});

describe('a message', () => {
  const once = { attemptsInVain: 0, refusals: 0, firstDueMs: 0, hasWitness: true };

  it('is accepted at once, whatever its policy', () => {
    for (const policy of ['standard', 'patient', 'owner-reminder'] as const) {
      expect(live(policy, 'accepted')).toEqual({ end: 'accepted', attemptsAtMs: [0] });
    }
  });

  it.each([
    ['standard', 3],
    ['patient', 30],
    ['owner-reminder', 30],
  ] as const)('with policy %s, always refused temporarily, is tried for %i days and is then dead', (policy, days) => {
    const { end, attemptsAtMs } = live(policy, 'temporary');
    const last = attemptsAtMs.at(-1) ?? 0;
    expect(end).toBe('dead');
    expect(last).toBeLessThanOrEqual(days * dayMs);
    expect(last).toBeGreaterThan(days * dayMs - 6 * hourMs);
  });

  it.each([
    ['standard', 3],
    ['patient', 31],
    ['owner-reminder', 31],
  ] as const)('with policy %s is tried for %i days if no acceptance shows that mail gets through', (policy, days) => {
    const { end, attemptsAtMs } = live(policy, 'temporary', false);
    const last = attemptsAtMs.at(-1) ?? 0;
    expect(end).toBe('dead');
    expect(last).toBeLessThanOrEqual(days * dayMs);
    expect(last).toBeGreaterThan(days * dayMs - 6 * hourMs);
  });

  it('with policy brief has five tries in an hour, and none after a permanent refusal', () => {
    const minutes = [0, 4, 12, 28, 60].map((at) => at * minuteMs);
    for (const hasWitness of [true, false]) {
      expect(live('brief', 'temporary', hasWitness)).toEqual({ end: 'dead', attemptsAtMs: minutes });
    }
    expect(live('brief', 'refused')).toEqual({ end: 'bounced', attemptsAtMs: [0] });
  });

  it('with policy standard bounces immediately after a permanent refusal', () => {
    expect(live('standard', 'refused')).toEqual({ end: 'bounced', attemptsAtMs: [0] });
  });

  it.each(['patient', 'owner-reminder'] as const)(
    'with policy %s bounces only after refusals on three days',
    (policy) => {
      expect(live(policy, 'refused')).toEqual({ end: 'bounced', attemptsAtMs: [0, dayMs, 2 * dayMs] });
    },
  );

  it('that waited out an outage of ours, or was in the middle of one, is tried as often as any other', () => {
    for (const attempts of [1, 5, 17]) {
      const facts = { policy: 'standard', outcome: 'temporary', attempts, ...once } as const;
      expect(stepAfterAttempt({ ...facts, nowMs: 90 * dayMs })).toMatchObject({ status: 'pending' });
    }
  });

  it('with a worker that crashed again and again within an hour is not given up for the number of attempts', () => {
    const facts = { policy: 'standard', outcome: 'temporary', attempts: 500, ...once } as const;
    expect(stepAfterAttempt({ ...facts, nowMs: hourMs })).toMatchObject({ status: 'pending' });
  });

  it('is not given up for failed attempts in an outage, whatever their number, and has all of its days afterwards', () => {
    const [inOutage, tried] = [400, 10];
    const facts = { policy: 'patient', outcome: 'temporary', ...once } as const;
    for (let later = 0; ; later += 1) {
      const attempts = tried + inOutage + later;
      const step = stepAfterAttempt({ ...facts, attempts, attemptsInVain: inOutage, nowMs: 500 * dayMs });
      if (step.status !== 'pending') {
        expect(triedForMs(tried + later)).toBeGreaterThan(30 * dayMs);
        expect(later / 4).toBeGreaterThan(28);
        return;
      }
    }
  });

  it('is refused for long after half a day, by the clock and by its own attempts', () => {
    const isLong = (attempts: number, nowMs: number) => isLongRefused({ attempts, firstDueMs: 0, nowMs });
    expect(isLong(11, 12 * hourMs)).toBe(true);
    expect(isLong(11, 12 * hourMs - 1)).toBe(false);
    expect(isLong(3, 90 * dayMs)).toBe(false);
    expect(isLong(500, hourMs)).toBe(false);
  });

  it('has been tried for as long as the waits between its attempts add up to', () => {
    let totalMs = 0;
    for (let attempts = 0; attempts < 40; attempts += 1) {
      expect(triedForMs(attempts)).toBe(totalMs);
      totalMs += waitAfterAttemptMs(attempts + 1);
    }
  });
});
