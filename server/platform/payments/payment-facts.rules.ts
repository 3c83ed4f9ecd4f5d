/** Payment facts in our own terms. They hold ids, amounts and dates only, and no personal data. */

type About = {
  /** Time when it happened, by the provider's clock, in milliseconds since 1970. */
  atMs: number;
  /** Ours, which the provider gives back; null where it does not. */
  checkoutId: string | null;
  /** The provider's names. */
  subscriptionId: string | null;
  customerId: string | null;
};

/** A bank card as people recognise it. */
export type Card = { brand: string; last4: string };

export type Money = { amountPence: number; currency: string };

/** A paid checkout; for a one-off purchase this is the payment as well. */
export type CheckoutPaid = About & { kind: 'checkout_paid'; reference: string } & Money;
/** The checkout ended without a payment. */
export type CheckoutExpired = About & { kind: 'checkout_expired'; reference: string };

/** State of a subscription at the provider; null means unknown. */
export type Snapshot = About & {
  kind: 'snapshot';
  hasEnded: boolean;
  cancelAtPeriodEnd: boolean;
  periodEndMs: number | null;
  /** The provider's name of the price it asks from now on. */
  priceId: string | null;
  /** The provider's name of the price that the next payment is of, where that may be another than the present one. */
  nextPriceId?: string | null;
};

/** `isRegular` where it is the whole price of a period, and so has to be what we asked for. */
export type PaymentReceived = About & {
  kind: 'payment_received';
  paymentId: string;
  /** The price of the period, before credit from earlier periods. */
  pricePence: number;
  isRegular: boolean;
  periodEndMs: number | null;
  card: Card | null;
} & Money;

export type PaymentFailed = About & { kind: 'payment_failed' };
export type CardChanged = About & { kind: 'card_changed'; card: Card };
/** `refundedPence` is all that was given back so far. */
export type Refunded = About & { kind: 'refunded'; paymentId: string; refundedPence: number };
export type Disputed = About & { kind: 'disputed'; paymentId: string; outcome: 'open' | 'won' | 'lost' };

export type PaymentFact =
  | CheckoutPaid
  | CheckoutExpired
  | Snapshot
  | PaymentReceived
  | PaymentFailed
  | CardChanged
  | Refunded
  | Disputed;

/**
 * Names of a fact's subjects. Facts that share one belong to one purchase. A customer may have several purchases, so
 * the customer is a subject of card changes only.
 */
export function subjectsOf(fact: PaymentFact): string[] {
  return [
    ...(fact.checkoutId ? [`checkout:${fact.checkoutId}`] : []),
    ...(fact.subscriptionId ? [`subscription:${fact.subscriptionId}`] : []),
    ...('paymentId' in fact ? [`payment:${fact.paymentId}`] : []),
    ...(fact.kind === 'card_changed' && fact.customerId ? [`customer:${fact.customerId}`] : []),
  ];
}
