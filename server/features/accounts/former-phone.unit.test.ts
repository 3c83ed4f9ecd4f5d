import { expect, test } from 'vitest';
import { formerPhone, formerPhoneAfter } from './former-phone.ts';

const day = (number: number) => new Date(Date.UTC(2030, 0, number));
const owner = { phone: '07700 900001', phoneProvenAt: day(-100), formerPhone: null, formerPhoneUntil: null };

test('a proven number gets texts about a release for 30 days, and not one day more', () => {
  const former = formerPhoneAfter(owner, day(1));
  expect([29, 30, 31].map((days) => formerPhone(former, day(1 + days)))).toEqual(['07700 900001', null, null]);
});

test('an unproven number is never a former one', () => {
  const none = { formerPhone: null, formerPhoneUntil: null };
  expect(formerPhoneAfter({ ...owner, phoneProvenAt: null }, day(1))).toEqual(none);
  expect(formerPhoneAfter({ ...owner, phone: null }, day(1))).toEqual(none);
});

test('further changes within its days do not replace it, and the next one after them does', () => {
  const first = formerPhoneAfter(owner, day(1));
  const thief = { phone: '07700 900666', phoneProvenAt: day(2) };
  expect(formerPhoneAfter({ ...thief, ...first }, day(30))).toEqual(first);
  expect(formerPhoneAfter({ ...thief, ...first }, day(31)).formerPhone).toBe('07700 900666');
});
