import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PaymentFact } from '#server/platform/payments/payment-facts.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type Asked, purchaseStateOf, type ReportedFact } from './lifecycle.rules.ts';

const orders = 200;
const about = { checkoutId: 'c1', subscriptionId: 's1', customerId: 'k1' };
const base: Asked = {
  checkoutId: 'c1',
  purpose: 'subscribe',
  plan: 'essential',
  term: 'monthly',
  amountPence: 499,
  reference: 'r1',
  priceId: 'p1',
};
const upgrade: Asked = {
  ...base,
  checkoutId: 'c2',
  purpose: 'change',
  plan: 'premium',
  amountPence: 999,
  priceId: 'p2',
};
const asked = [base, upgrade];

const money = { currency: 'GBP' };
const paid = (atMs: number): PaymentFact => ({
  ...about,
  ...money,
  kind: 'checkout_paid',
  atMs,
  reference: 'r1',
  amountPence: 499,
});
const received = (atMs: number, paymentId: string, pricePence = 499): PaymentFact => ({
  ...about,
  ...money,
  kind: 'payment_received',
  atMs,
  paymentId,
  pricePence,
  amountPence: pricePence,
  isRegular: true,
  periodEndMs: atMs + 30 * dayMs,
  card: { brand: 'visa', last4: '4242' },
});
const failed = (atMs: number): PaymentFact => ({ ...about, kind: 'payment_failed', atMs });
const snapshot = (atMs: number, given: object = {}): PaymentFact => ({
  ...about,
  kind: 'snapshot',
  atMs,
  hasEnded: false,
  cancelAtPeriodEnd: false,
  periodEndMs: null,
  priceId: null,
  ...given,
});
const heard = (facts: PaymentFact[]): ReportedFact[] => facts.map((fact, index) => ({ eventId: `e${index}`, fact }));

const lives: Record<string, PaymentFact[]> = {
  'goes up, misses a payment, pays and is cancelled': [
    paid(0),
    received(0, 'pay1'),
    snapshot(5 * dayMs, { priceId: 'p2' }),
    received(5 * dayMs, 'pay2', 999),
    failed(35 * dayMs),
    received(38 * dayMs, 'pay3', 999),
    snapshot(40 * dayMs, { cancelAtPeriodEnd: true }),
    snapshot(68 * dayMs, { hasEnded: true, cancelAtPeriodEnd: true }),
  ],
  'goes up and down, with a refund and a dispute': [
    paid(0),
    received(0, 'pay1'),
    snapshot(dayMs, { priceId: 'p2' }),
    snapshot(2 * dayMs, { priceId: 'p1' }),
    received(30 * dayMs, 'pay2'),
    { ...about, kind: 'refunded', atMs: 31 * dayMs, paymentId: 'pay1', refundedPence: 200 },
    { ...about, kind: 'disputed', atMs: 32 * dayMs, paymentId: 'pay2', outcome: 'open' },
    { ...about, kind: 'disputed', atMs: 40 * dayMs, paymentId: 'pay2', outcome: 'won' },
  ],
  'is never paid again': [
    paid(0),
    received(0, 'pay1'),
    failed(30 * dayMs),
    failed(33 * dayMs),
    snapshot(33 * dayMs, { priceId: 'p1' }),
    snapshot(45 * dayMs, { hasEnded: true }),
    { ...about, kind: 'card_changed', atMs: 46 * dayMs, card: { brand: 'visa', last4: '0002' } },
    { ...about, kind: 'disputed', atMs: 47 * dayMs, paymentId: 'pay1', outcome: 'lost' },
  ],
};

test.each(Object.entries(lives))(
  'a subscription that %s has the same result in any order of its facts, with and without repeats',
  (_, facts) => {
    const told = heard(facts);
    for (const nowMs of [10, 36, 39, 44, 100].map((days) => days * dayMs)) {
      const expected = purchaseStateOf(asked, told, nowMs);
      expect(expected.purchase).not.toBeNull();
      fc.assert(
        fc.property(fc.shuffledSubarray(told, { minLength: told.length }), fc.subarray(told), (order, again) => {
          const doubled = again.map(({ eventId, fact }) => ({ eventId, fact: { ...fact } }));
          expect(purchaseStateOf(asked, [...order, ...doubled], nowMs).purchase).toEqual(expected.purchase);
        }),
        { numRuns: orders },
      );
    }
  },
);

test('seven days after a payment failed the plan lapses, and not a millisecond sooner', () => {
  const told = heard([paid(0), received(0, 'pay1'), failed(30 * dayMs)]);
  expect(purchaseStateOf(asked, told, 37 * dayMs - 1).purchase?.status).toBe('past_due');
  expect(purchaseStateOf(asked, told, 37 * dayMs).purchase).toMatchObject({ status: 'lapsed', endedAtMs: 37 * dayMs });
});

test('a cancelled plan runs to the end of the paid period', () => {
  const told = heard([paid(0), received(0, 'pay1'), snapshot(dayMs, { cancelAtPeriodEnd: true })]);
  expect(purchaseStateOf(asked, told, 30 * dayMs - 1).purchase?.status).toBe('active');
  expect(purchaseStateOf(asked, told, 30 * dayMs).purchase?.status).toBe('cancelled');
});

test('a price that was never asked changes no plan', () => {
  const told = heard([paid(0), received(0, 'pay1'), snapshot(dayMs, { priceId: 'p9' })]);
  expect(purchaseStateOf(asked, told, 2 * dayMs)).toMatchObject({
    purchase: { plan: 'essential' },
    refused: [{ refusal: 'price' }],
  });
});
