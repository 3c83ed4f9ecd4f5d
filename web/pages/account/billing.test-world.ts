import type { Billing, Payment } from '#shared/contract/billing.ts';
import { daysFromNow, idOf } from '#web/pages/pages.test-world.tsx';

export const nothingBought: Billing = {
  plan: 'free',
  status: 'none',
  term: null,
  provider: null,
  pricePence: null,
  nextPaymentAt: null,
  nextChange: null,
  refusedChange: null,
  endsAt: null,
  cancelAtPeriodEnd: false,
  isEndedByRelease: false,
  graceUntil: null,
  card: null,
  isAwaitingPayment: false,
  can: { cancel: false, resume: false, change: false, changeCard: false },
  providers: ['sandbox'],
  payments: [],
};

export const payment: Payment = {
  id: idOf(40),
  number: 'EK-000123',
  paidAt: '2026-10-21T09:00:00.000Z',
  amountPence: 499,
  refundedPence: 0,
  status: 'paid',
  plan: 'essential',
  term: 'monthly',
  provider: 'stripe',
  card: { brand: 'visa', last4: '4242' },
};

/** A payer of Essential by the month. */
export function billingOf(changes: Partial<Billing> = {}): Billing {
  return {
    ...nothingBought,
    plan: 'essential',
    status: 'active',
    term: 'monthly',
    provider: 'stripe',
    pricePence: 499,
    nextPaymentAt: daysFromNow(12),
    card: { brand: 'visa', last4: '4242' },
    can: { cancel: true, resume: false, change: true, changeCard: true },
    providers: ['stripe'],
    payments: [payment],
    ...changes,
  };
}
