import { describe, expect, it } from 'vitest';
import { deliveryStatuses, expiryOf, halt, isReadable, isRenewable, reminderDue, settle } from './delivery.rules.ts';

const day = 86_400_000;
const accepted = { status: 'accepted', deliveredAtMs: 0, expiresAtMs: 30 * day, isOpened: false } as const;

describe('the life of a link', () => {
  it('ends 30 times 24 hours after acceptance, to the millisecond', () => {
    expect(expiryOf(5)).toBe(5 + 30 * day);
    expect(isReadable({ status: 'accepted', expiresAtMs: 100 }, 99)).toBe(true);
    expect(isReadable({ status: 'accepted', expiresAtMs: 100 }, 100)).toBe(false);
  });

  it('is open while the mail is on its way and never after it was stopped or refused', () => {
    const readable = deliveryStatuses.filter((status) => isReadable({ status, expiresAtMs: 100 }, 50));
    expect(readable).toEqual(['pending', 'accepted']);
  });

  it('can be renewed only where it was delivered and has expired', () => {
    expect(deliveryStatuses.filter((status) => isRenewable({ status, expiresAtMs: 100 }, 100))).toEqual(['accepted']);
    expect(isRenewable({ status: 'accepted', expiresAtMs: 100 }, 99)).toBe(false);
  });
});

describe('the end of a mail', () => {
  it('settles a delivery once', () => {
    const outcomes = ['accepted', 'bounced', 'dead'] as const;
    const table = deliveryStatuses.map((status) => [status, ...outcomes.map((outcome) => settle(status, outcome))]);
    expect(table).toEqual([
      ['pending', 'accepted', 'bounced', 'bounced'],
      ['accepted', null, null, null],
      ['bounced', null, null, null],
      ['cancelled', 'withdrawn', null, null],
      ['withdrawn', null, null, null],
    ]);
  });
});

describe('reminders of an unopened letter', () => {
  const due = (days: number, remindersSent: number, changes = {}) =>
    reminderDue({ ...accepted, remindersSent, ...changes }, days * day);

  it('come on day 7 and on day 23', () => {
    expect([due(6.99, 0), due(7, 0), due(22, 1), due(22.99, 1), due(23, 1), due(29, 2)]).toEqual([
      null,
      1,
      null,
      null,
      2,
      null,
    ]);
  });

  it('are not piled up after an outage', () => {
    expect(due(25, 0)).toBe(2);
  });

  it('stop when the letter was opened, when it expired and when it was withdrawn', () => {
    expect(due(8, 0, { isOpened: true })).toBeNull();
    expect(due(30, 1)).toBeNull();
    expect(due(8, 0, { status: 'withdrawn' })).toBeNull();
  });
});

describe("the owner's return", () => {
  it('stops what waits, withdraws what nobody read, and leaves the rest', () => {
    const all = deliveryStatuses.map((status) => halt({ status, isOpened: false }));
    expect(all).toEqual(['cancelled', 'withdrawn', null, null, null]);
    expect(halt({ status: 'accepted', isOpened: true })).toBeNull();
  });
});
