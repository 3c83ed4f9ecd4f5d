import { randomUUID } from 'node:crypto';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ProviderSubscription } from '#server/platform/payments/payments.ts';
import { currency } from '#shared/rules/prices.ts';
import type { CheckoutRow } from './checkouts.repository.ts';
import { type Asked, nextStepAtMs, type Purchase, type Received, type ReportedFact } from './lifecycle.rules.ts';
import type { EventRow } from './payment-events.repository.ts';
import type { SubscriptionRow } from './subscriptions.repository.ts';

/** Converts between stored rows and the facts of the purchase rules. */

export function askedOf(checkout: CheckoutRow): Asked {
  const { id, purpose, plan, term, amountPence, providerReference, providerPriceId } = checkout;
  return {
    checkoutId: id,
    purpose: purpose === 'change' ? purpose : 'subscribe',
    plan,
    term,
    amountPence,
    reference: providerReference,
    priceId: providerPriceId,
  };
}

export function reportedFactsOf({ id, facts }: EventRow): ReportedFact[] {
  return (facts ?? []).map((fact) => ({ eventId: id, fact }));
}

/** True if the price that the checkout asks is the price that the owner pays. */
export function isInForce({ plan, term, amountPence }: CheckoutRow, row: SubscriptionRow): boolean {
  return plan === row.plan && term === row.term && amountPence === row.pricePence;
}

type RowContext = { checkout: CheckoutRow; owner: OwnerRow | null; known: SubscriptionRow | null; at: Date };

export function rowOf(purchase: Purchase, { checkout, owner, known, at }: RowContext): SubscriptionRow {
  const next = nextStepAtMs(purchase, at.getTime());
  return {
    id: checkout.id,
    userId: owner?.id ?? null,
    email: checkout.email,
    provider: checkout.provider,
    providerCustomerId: purchase.customerId,
    providerSubscriptionId: purchase.subscriptionId,
    plan: purchase.plan,
    term: purchase.term,
    pricePence: purchase.pricePence,
    status: purchase.status,
    currentPeriodEnd: dateOf(purchase.periodEndMs),
    cancelAtPeriodEnd: purchase.cancelAtPeriodEnd,
    pastDueSince: dateOf(purchase.pastDueSinceMs),
    endedAt: dateOf(purchase.endedAtMs),
    cardBrand: purchase.card?.brand ?? null,
    cardLast4: purchase.card?.last4 ?? null,
    releaseStop: known?.releaseStop ?? null,
    nextStepAt: dateOf(next),
    createdAt: known?.createdAt ?? new Date(purchase.startedAtMs),
    updatedAt: at,
  };
}

export function freeRow(checkout: CheckoutRow, owner: OwnerRow | null, at: Date): SubscriptionRow {
  const nothing = { providerCustomerId: null, providerSubscriptionId: null, cardBrand: null, cardLast4: null };
  return {
    ...nothing,
    id: checkout.id,
    userId: owner?.id ?? null,
    email: checkout.email,
    provider: 'voucher',
    plan: checkout.plan,
    term: checkout.term,
    pricePence: 0,
    status: 'active',
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
    pastDueSince: null,
    endedAt: null,
    releaseStop: null,
    nextStepAt: null,
    createdAt: at,
    updatedAt: at,
  };
}

type PaidRow = SubscriptionRow & { provider: 'stripe' | 'paypal' | 'sandbox' };

export function paymentRow(row: PaidRow, received: Received, at: Date) {
  const { paymentId, plan, term, amountPence, paidAtMs, refundedPence, status, card } = received;
  return {
    id: randomUUID(),
    userId: row.userId,
    payerId: row.userId ?? row.id,
    subscriptionId: row.id,
    provider: row.provider,
    providerPaymentId: paymentId,
    plan,
    term,
    amountPence,
    refundedPence,
    currency,
    status,
    cardBrand: card?.brand ?? null,
    cardLast4: card?.last4 ?? null,
    paidAt: new Date(paidAtMs),
    createdAt: at,
  };
}

/** The subscription as its provider knows it. Null for a plan that is paid once, which no provider renews. */
export function providerSubscriptionOf(row: SubscriptionRow): ProviderSubscription | null {
  if (row.providerSubscriptionId === null) return null;
  return {
    checkoutId: row.id,
    subscriptionId: row.providerSubscriptionId,
    customerId: row.providerCustomerId,
    term: row.term,
    amountPence: row.pricePence,
    periodEnd: row.currentPeriodEnd,
    cardLast4: row.cardLast4,
  };
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
