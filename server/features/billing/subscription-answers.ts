import type { PaymentProvider } from '#server/platform/payments/payments.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { isLive, receiptNumber } from './billing.rules.ts';
import type { CheckoutRow } from './checkouts.repository.ts';
import { graceDays } from './lifecycle.rules.ts';
import type { PaymentRow, SubscriptionRow } from './subscriptions.repository.ts';

/** Rows of billing in the words of its contract. */

type AtProvider = (row: SubscriptionRow) => { provider: PaymentProvider } | null;

/** State of a plan as its owner sees it. */
export function standingOf(row: SubscriptionRow | null, atProvider: AtProvider) {
  if (!row) {
    return {
      term: null,
      provider: null,
      pricePence: null,
      nextPaymentAt: null,
      endsAt: null,
      cancelAtPeriodEnd: false,
      isEndedByRelease: false,
      graceUntil: null,
      card: null,
      can: { cancel: false, resume: false, change: false, changeCard: false },
    };
  }
  const { term, provider, pricePence, currentPeriodEnd, cancelAtPeriodEnd, pastDueSince, cardBrand, cardLast4 } = row;
  const known = atProvider(row)?.provider;
  const isRecurring = term !== 'once' && isLive(row);
  return {
    term,
    provider,
    pricePence,
    nextPaymentAt: isRecurring && !cancelAtPeriodEnd && known && !pastDueSince ? currentPeriodEnd : null,
    endsAt: cancelAtPeriodEnd ? currentPeriodEnd : null,
    cancelAtPeriodEnd,
    isEndedByRelease: cancelAtPeriodEnd && row.releaseStop === 'stopped',
    graceUntil: pastDueSince ? new Date(pastDueSince.getTime() + graceDays * dayMs) : null,
    card: cardBrand && cardLast4 ? { brand: cardBrand, last4: cardLast4 } : null,
    can: {
      cancel: isRecurring && !cancelAtPeriodEnd,
      resume: isRecurring && cancelAtPeriodEnd,
      change: isRecurring && known !== undefined && !(cancelAtPeriodEnd && known.name === 'paypal'),
      changeCard: isRecurring && known !== undefined && known.name !== 'paypal',
    },
  };
}

export function changeOf({ plan, term, amountPence }: CheckoutRow) {
  return { plan, term, pricePence: amountPence };
}

export function paymentAnswer(payment: PaymentRow) {
  const { id, number, paidAt, amountPence, refundedPence, status, plan, term, provider, cardBrand, cardLast4 } =
    payment;
  const card = cardBrand && cardLast4 ? { brand: cardBrand, last4: cardLast4 } : null;
  const money = { amountPence, refundedPence, status };
  return { id, number: receiptNumber(number), paidAt, ...money, plan, term, provider, card };
}
