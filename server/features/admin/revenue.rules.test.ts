import { expect, test } from 'vitest';
import { averagePence, monthlyPence } from './revenue.rules.ts';

test('a month has the monthly payments and a twelfth of the annual ones, to the penny; one-off purchases add nothing', () => {
  expect(monthlyPence([])).toBe(0);
  expect(monthlyPence([{ term: 'monthly', pence: 998 }])).toBe(998);
  expect(monthlyPence([{ term: 'annual', pence: 4_999 }])).toBe(417);
  expect(
    monthlyPence([
      { term: 'monthly', pence: 499 },
      { term: 'annual', pence: 14_998 },
      { term: 'once', pence: 29_900 },
    ]),
  ).toBe(1_749);
});

test('the average counts accounts that ever paid', () => {
  expect(averagePence({ payers: 0, keptPence: 0 })).toBe(0);
  expect(averagePence({ payers: 3, keptPence: 1_000 })).toBe(333);
});
