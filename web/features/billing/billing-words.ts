import type { Billing, Payment, PaymentStatus } from '#shared/contract/billing.ts';
import { plans } from '#shared/rules/plans.ts';
import { cardBrand, longDate, money } from '#web/lib/format.ts';
import { priceWords } from './choice.ts';

/** The next payment, or that there is none. */
export function nextPaymentWords({ nextPaymentAt, term, plan, status }: Billing): string {
  if (nextPaymentAt) return longDate(nextPaymentAt);
  if (status === 'past_due') return 'Due now';
  return term === 'once' && plan === 'lifetime' ? 'None. You paid once.' : 'None';
}

/** That a payment failed, how long the plan goes on, and what to do before then. */
export function pastDueWords({ graceUntil, provider }: Pick<Billing, 'graceUntil' | 'provider'>): string {
  const until = graceUntil ? ` until ${longDate(graceUntil)}` : '';
  const remedy = provider === 'paypal' ? 'Check how you pay at PayPal' : 'Change your card';
  return `Your last payment did not go through. Your plan goes on${until}. ${remedy} before then, and it is tried again.`;
}

/** Change that begins with the next payment; undefined if nothing changes. */
export function nextChangeWords({ nextChange, nextPaymentAt, plan }: Billing): string | undefined {
  if (!nextChange || !nextPaymentAt) return undefined;
  const day = longDate(nextPaymentAt);
  const price = priceWords(nextChange.pricePence, nextChange.term);
  if (nextChange.plan === plan) return `From ${day} you pay ${price}.`;
  return `Your plan changes to ${plans[nextChange.plan].title} on ${day}, with your next payment. It is then ${price}.`;
}

/** Start of another price, and the use of the sum already paid. */
export function changeStartWords({ provider, nextPaymentAt }: Billing): string {
  if (provider !== 'paypal') return 'What you have paid already counts towards it.';
  return `PayPal asks for it with your next payment${nextPaymentAt ? `, on ${longDate(nextPaymentAt)}` : ''}.`;
}

/** Effect of a voucher that covers the whole price of a paid plan. */
export const freeChangeWords =
  'With this voucher there is nothing more to pay, and your payments end. What you have paid already is not paid back.';

/** Agreed change that was dropped; undefined if there is none. */
export function refusedChangeWords({ refusedChange, endsAt }: Billing): string | undefined {
  if (!refusedChange) return undefined;
  const { title } = plans[refusedChange.plan];
  const price = priceWords(refusedChange.pricePence, refusedChange.term);
  const why = `You agreed at PayPal to ${title} for ${price}, but by then the voucher had no use left.`;
  const until = endsAt ? `Your plan runs until ${longDate(endsAt)}. ` : '';
  return `${why} So the change is not made, and nothing more is taken. ${until}To go on, choose a plan again.`;
}

/** `Visa ending in 4242`, or that no card is known. */
export function cardWords({ card, provider }: Pick<Billing, 'card' | 'provider'>): string {
  if (card) return `${cardBrand(card.brand)} ending in ${card.last4}`;
  return provider === 'paypal' ? 'PayPal keeps it, and does not tell us' : 'We have no card of yours';
}

const ways: Record<NonNullable<Billing['provider']>, string> = {
  stripe: 'Stripe',
  paypal: 'PayPal',
  sandbox: 'Practice checkout, no money moves',
  voucher: 'A voucher',
};

export function wayWords(provider: NonNullable<Billing['provider']>): string {
  return ways[provider];
}

const statusTitles: Record<PaymentStatus, string> = {
  paid: 'Paid',
  partly_refunded: 'Partly refunded',
  refunded: 'Refunded',
  disputed: 'Disputed',
  lost: 'Taken back by the bank',
};

/** State of a payment, with its refund. */
export function paymentStatusWords({ status, refundedPence }: Pick<Payment, 'status' | 'refundedPence'>): string {
  return refundedPence > 0 ? `${statusTitles[status]}, ${money(refundedPence)}` : statusTitles[status];
}
