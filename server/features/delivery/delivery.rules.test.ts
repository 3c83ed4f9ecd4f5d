import { describe, expect, it } from 'vitest';
import { deliveryStatuses } from '#shared/rules/deliveries.ts';
import {
  expiryAt,
  expiryOf,
  foldedPerson,
  halt,
  isOverUnopened,
  isReadable,
  isRenewable,
  reminderDue,
  settle,
  statusForOwner,
} from './delivery.rules.ts';
import { readersOf } from './letter-readers.ts';

const day = 86_400_000;
const accepted = { status: 'accepted', expiresAtMs: 30 * day, beganHealthyMs: 0, isOpened: false } as const;
/** A service that has run without an outage since the beginning. */
const healthyFor = (ms: number) => ({ atMs: ms, healthyMs: ms });
/** A link whose life is known by the clock alone. */
const dying = { expiresAtMs: 100, beganHealthyMs: null };

describe('the life of a link', () => {
  it('ends 30 times 24 hours after acceptance, to the millisecond', () => {
    expect(expiryOf(5)).toBe(5 + 30 * day);
    expect(isReadable({ status: 'accepted', ...dying }, healthyFor(99))).toBe(true);
    expect(isReadable({ status: 'accepted', ...dying }, healthyFor(100))).toBe(false);
    expect(isReadable(accepted, healthyFor(30 * day - 1))).toBe(true);
    expect(isReadable(accepted, healthyFor(30 * day))).toBe(false);
  });

  it('is not shortened by an outage: days in which it could not be opened do not count', () => {
    const now = { atMs: 40 * day, healthyMs: 9 * day };
    expect(isReadable(accepted, now)).toBe(true);
    expect(isRenewable(accepted, now)).toBe(false);
    expect(expiryAt(accepted, now)).toBe(61 * day);
    expect(isReadable(accepted, { atMs: 61 * day, healthyMs: 30 * day })).toBe(false);
  });

  it('is not lengthened where healthy time seems to have gone back', () => {
    expect(expiryAt({ ...accepted, beganHealthyMs: 5 * day }, { atMs: 2 * day, healthyMs: 2 * day })).toBe(32 * day);
  });

  it('is a healthy year from the press if its reader has the letter kept', () => {
    const kept = { ...accepted, kept: { untilMs: 385 * day, fromHealthyMs: 20 * day } };
    expect(isReadable(kept, healthyFor(385 * day - 1))).toBe(true);
    expect(isReadable(kept, healthyFor(385 * day))).toBe(false);
    expect(isOverUnopened(kept, healthyFor(100 * day))).toBe(false);
    expect(expiryAt(kept, { atMs: 400 * day, healthyMs: 370 * day })).toBe(415 * day);
    // Less than the 30 days that a renewed link has left is no loss of them.
    const renewed = { ...kept, expiresAtMs: 400 * day, beganHealthyMs: 370 * day };
    expect(expiryAt(renewed, healthyFor(380 * day))).toBe(400 * day);
  });

  it('is never shorter than 30 days by the clock, whatever was counted as healthy', () => {
    expect(expiryAt(accepted, { atMs: 20 * day, healthyMs: 31 * day })).toBe(30 * day);
  });

  it('is open while the mail is on its way and never after it was stopped or refused', () => {
    const readable = deliveryStatuses.filter((status) => isReadable({ status, ...dying }, healthyFor(50)));
    expect(readable).toEqual(['pending', 'accepted']);
  });

  it('can be renewed only where it was delivered and has expired', () => {
    expect(deliveryStatuses.filter((status) => isRenewable({ status, ...dying }, healthyFor(100)))).toEqual([
      'accepted',
      'unopened',
    ]);
    expect(isRenewable({ status: 'accepted', ...dying }, healthyFor(99))).toBe(false);
  });
});

describe('the end of a mail', () => {
  it('settles a delivery once', () => {
    const outcomes = ['accepted', 'bounced', 'dead'] as const;
    const table = deliveryStatuses.map((status) => [status, ...outcomes.map((outcome) => settle(status, outcome))]);
    expect(table).toEqual([
      ['waiting', null, null, null],
      ['pending', 'accepted', 'bounced', 'bounced'],
      ['accepted', null, null, null],
      ['bounced', null, null, null],
      ['cancelled', 'withdrawn', null, null],
      ['withdrawn', null, null, null],
      ['unopened', null, null, null],
    ]);
  });
});

describe('reminders of an unopened letter', () => {
  const due = (days: number, remindersSent: number, changes = {}) =>
    reminderDue({ ...accepted, remindersSent, ...changes }, healthyFor(days * day));

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

  it('are not piled up where the worker comes late', () => {
    expect(due(25, 0)).toBe(2);
  });

  it('come after an outage on their own days, none left out', () => {
    const dueAt = (healthyDays: number, remindersSent: number) =>
      reminderDue({ ...accepted, remindersSent }, { atMs: (healthyDays + 31) * day, healthyMs: healthyDays * day });
    expect([dueAt(6, 0), dueAt(7, 0), dueAt(22, 1), dueAt(23, 1), dueAt(30, 1)]).toEqual([null, 1, null, 2, null]);
  });

  it('wait until it is known that the letter has arrived', () => {
    expect(due(25, 0, { beganHealthyMs: null })).toBeNull();
  });

  it('stop when the reader answered on the page', () => {
    expect([due(8, 0, { isAnswered: true }), due(25, 1, { isAnswered: true })]).toEqual([null, null]);
  });

  it('stop when the letter was opened, when it expired and when it was withdrawn', () => {
    expect(due(8, 0, { isOpened: true })).toBeNull();
    expect(due(30, 1)).toBeNull();
    expect(due(8, 0, { status: 'withdrawn' })).toBeNull();
  });
});

describe('an unopened letter', () => {
  it('is over after its thirty days, and no other is', () => {
    const over = healthyFor(30 * day);
    expect(isOverUnopened(accepted, over)).toBe(true);
    expect(isOverUnopened(accepted, healthyFor(30 * day - 1))).toBe(false);
    expect(isOverUnopened({ ...accepted, isOpened: true }, over)).toBe(false);
    expect(isOverUnopened({ ...accepted, beganHealthyMs: null }, over)).toBe(false);
    const statuses = deliveryStatuses.filter((status) => isOverUnopened({ ...accepted, status }, over));
    expect(statuses).toEqual(['accepted']);
  });
});

describe("the owner's return", () => {
  it('stops waiting letters, withdraws unopened ones, and leaves the rest', () => {
    const all = deliveryStatuses.map((status) => halt({ status, isOpened: false }));
    expect(all).toEqual(['cancelled', 'cancelled', 'withdrawn', null, null, null, 'withdrawn']);
    expect(halt({ status: 'accepted', isOpened: true })).toBeNull();
  });
});

describe('people', () => {
  it('are the same whatever the capitals and spaces of their name', () => {
    const nell = foldedPerson({ name: 'Nell Ashworth', address: 'nell@family.example' });
    expect(foldedPerson({ name: '  NELL   ashworth ', address: 'Nell@Family.example' })).toEqual(nell);
    // Composed and decomposed, and half-width against full-width (NFKC).
    expect(foldedPerson({ name: 'Zoe\u0308', address: 'z@a.example' })).toEqual(
      foldedPerson({ name: 'Zoë', address: 'z@a.example' }),
    );
  });

  it('are two people behind two tags of a domain, and one behind two spellings of a Google address', () => {
    const keyOf = (address: string) => JSON.stringify(foldedPerson({ name: null, address }));
    expect(keyOf('smith+mum@family.example')).not.toBe(keyOf('smith+dad@family.example'));
    expect(keyOf('nell.smith@gmail.com')).toBe(keyOf('Nellsmith+x@googlemail.com'));
  });

  it('are different at one address where they have different names: a couple shares a mailbox', () => {
    const [nell, tom, nobody] = ['Nell', 'Tom', null].map((name) => foldedPerson({ name, address: 'home@a.example' }));
    expect(nell).not.toEqual(tom);
    expect(nobody).not.toEqual(nell);
  });

  it('are counted once, with all the letters that are for them', () => {
    const nell = { name: 'Nell', email: 'nell@a.example' };
    const messages = [
      { recipients: [nell, { name: null, email: 'tom@a.example' }], isSealed: false },
      { recipients: [{ name: ' nell ', email: 'NELL@a.example' }], isSealed: true },
      { recipients: [], isSealed: true },
    ];
    expect(readersOf(messages)).toEqual([
      { name: 'Nell', address: 'nell@a.example', letters: 2, sealed: 1 },
      { name: null, address: 'tom@a.example', letters: 1, sealed: 0 },
    ]);
  });
});

it('shows its owner a waiting letter whose day has passed as one that has not left, declined or not', () => {
  const on = (nowMs: number) => statusForOwner({ status: 'waiting', dueAtMs: 10 }, nowMs);
  expect([on(9), on(10)]).toEqual(['waiting', 'pending']);
  expect(statusForOwner({ status: 'accepted', dueAtMs: 10 }, 11)).toBe('accepted');
});
