import { describe, expect, test } from 'vitest';
import { isMailboxClosed, laterSeries, seriesOf, stepAfterBounce } from './bounces.rules.ts';

const dayMs = 86_400_000;
const first = { policy: 'owner-reminder', isOfMailbox: true, refusals: 1, firstDueMs: 0, nowMs: dayMs } as const;

describe('after a mail came back', () => {
  test('a reminder is tried again a day later, and is over with the third mailbox that is closed', () => {
    expect(stepAfterBounce(first)).toEqual({ status: 'pending', nextAttemptMs: 2 * dayMs });
    expect(stepAfterBounce({ ...first, refusals: 3 })).toEqual({ status: 'bounced' });
  });

  test('a letter is tried again a day later, and ends with the third refusal', () => {
    expect(stepAfterBounce({ ...first, policy: 'patient' })).toEqual({ status: 'pending', nextAttemptMs: 2 * dayMs });
    expect(stepAfterBounce({ ...first, policy: 'patient', refusals: 3 })).toEqual({ status: 'bounced' });
  });

  test('for a reason that is not about the mailbox, it is tried again each day for 30 days, and then ends', () => {
    const trouble = { ...first, policy: 'patient', isOfMailbox: false, refusals: 0 } as const;
    expect(stepAfterBounce({ ...trouble, nowMs: 29 * dayMs })).toEqual({
      status: 'pending',
      nextAttemptMs: 30 * dayMs,
    });
    expect(stepAfterBounce({ ...trouble, nowMs: 29 * dayMs + 1 })).toEqual({ status: 'dead' });
  });
});

test('a mailbox that only reports speak of is closed by three counted days, or by ten tries over 30 healthy days', () => {
  const open = { countedDays: 2, tries: 9, healthyMs: 60 * dayMs };
  expect(isMailboxClosed(open)).toBe(false);
  expect(isMailboxClosed({ ...open, countedDays: 3 })).toBe(true);
  expect(isMailboxClosed({ ...open, tries: 10 })).toBe(true);
  expect(isMailboxClosed({ countedDays: 0, tries: 30, healthyMs: 30 * dayMs - 1 })).toBe(false);
});

describe('the series of a return path', () => {
  test('is the first until an accepted mail comes back, and another one after each return', () => {
    const day = Date.UTC(2026, 10, 29);
    const numbers = [null, day, day + 86_400_000].map(seriesOf);
    expect(numbers[0]).toBe(1);
    expect(new Set(numbers).size).toBe(3);
  });

  test('fits into the two bytes of its tag', () => {
    const last = (laterSeries - 1) * 1_000;
    expect([seriesOf(0), seriesOf(last), seriesOf(last + 1_000)]).toEqual([2, 0xffff - 1, 2]);
  });
});
