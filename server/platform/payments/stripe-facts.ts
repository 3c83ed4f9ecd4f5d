import type Stripe from 'stripe';
import type { Card, PaymentFact, PaymentReceived, Snapshot } from './payment-facts.rules.ts';

/** Reads what Stripe tells. An event may leave out which card was used; then Stripe is asked. */
export type StripeReader = {
  facts(event: Stripe.Event): Promise<PaymentFact[]>;
  snapshot(subscription: Stripe.Subscription, at: Date): Snapshot;
};

export function createStripeReader(stripe: Stripe): StripeReader {
  async function cardOf(paymentIntentId: string | null): Promise<Card | null> {
    if (!paymentIntentId) return null;
    const intent = await stripe.paymentIntents.retrieve(paymentIntentId, { expand: ['payment_method'] });
    const method = intent.payment_method;
    return typeof method === 'object' && method?.card ? cardFacts(method.card) : null;
  }

  async function ofCheckout(session: Stripe.Checkout.Session, atMs: number): Promise<PaymentFact[]> {
    // Some methods take days; the word that they have paid comes as an event of its own.
    if (session.payment_status !== 'paid') return [];
    const about = aboutOf(atMs, {
      checkoutId: session.client_reference_id,
      subscription: session.subscription,
      customer: session.customer,
    });
    const money = { amountPence: session.amount_total ?? 0, currency: (session.currency ?? '').toUpperCase() };
    const paid: PaymentFact = { ...about, kind: 'checkout_paid', reference: session.id, ...money };
    const paymentId = idOf(session.payment_intent);
    if (session.mode !== 'payment' || !paymentId) return [paid];
    const card = await cardOf(paymentId);
    const pricePence = money.amountPence;
    const received = { paymentId, pricePence, isRegular: true, periodEndMs: null, card, ...money };
    return [paid, { ...about, kind: 'payment_received', ...received }];
  }

  async function ofInvoice(invoice: Stripe.Invoice, atMs: number): Promise<PaymentReceived[]> {
    if (!subscriptionOfInvoice(invoice) || !invoice.id) return [];
    // Nothing was taken: credit covered it.
    const full = invoice.amount_paid > 0 ? await stripe.invoices.retrieve(invoice.id, { expand: ['payments'] }) : null;
    const intentId = idOf(full?.payments?.data[0]?.payment.payment_intent ?? null);
    const lines = invoice.lines.data.map(({ period }) => period.end);
    return [
      {
        ...aboutOfInvoice(invoice, atMs),
        kind: 'payment_received',
        paymentId: intentId ?? invoice.id,
        amountPence: invoice.amount_paid,
        currency: invoice.currency.toUpperCase(),
        pricePence: invoice.total,
        isRegular: invoice.billing_reason === 'subscription_create' || invoice.billing_reason === 'subscription_cycle',
        periodEndMs: lines.length > 0 ? msOf(Math.max(...lines)) : null,
        card: await cardOf(intentId),
      },
    ];
  }

  async function ofCustomer(customer: Stripe.Customer, atMs: number): Promise<PaymentFact[]> {
    const methodId = idOf(customer.invoice_settings?.default_payment_method ?? null);
    if (!methodId) return [];
    const method = await stripe.paymentMethods.retrieve(methodId);
    if (!method.card) return [];
    const about = aboutOf(atMs, { checkoutId: null, subscription: null, customer: customer.id });
    return [{ ...about, kind: 'card_changed', card: cardFacts(method.card) }];
  }

  return {
    snapshot: snapshotOf,
    async facts(event) {
      const atMs = msOf(event.created);
      switch (event.type) {
        case 'checkout.session.completed':
        case 'checkout.session.async_payment_succeeded':
          return ofCheckout(event.data.object, atMs);
        case 'checkout.session.expired':
        case 'checkout.session.async_payment_failed':
          return [expiredOf(event.data.object, atMs)];
        case 'customer.subscription.created':
        case 'customer.subscription.updated':
        case 'customer.subscription.deleted':
          return [snapshotOf(event.data.object, new Date(atMs))];
        case 'invoice.paid':
          return ofInvoice(event.data.object, atMs);
        case 'invoice.payment_failed':
          return subscriptionOfInvoice(event.data.object)
            ? [{ ...aboutOfInvoice(event.data.object, atMs), kind: 'payment_failed' }]
            : [];
        case 'customer.updated':
          return ofCustomer(event.data.object, atMs);
        case 'charge.refunded':
          return refundOf(event.data.object, atMs);
        case 'charge.dispute.created':
        case 'charge.dispute.closed':
        case 'charge.dispute.funds_reinstated':
          return disputeOf(event.data.object, atMs);
        default:
          return [];
      }
    },
  };
}

type Named = {
  checkoutId: string | null | undefined;
  subscription: string | { id: string } | null;
  customer: string | { id: string } | null;
};

function aboutOf(atMs: number, { checkoutId, subscription, customer }: Named) {
  return { atMs, checkoutId: checkoutId ?? null, subscriptionId: idOf(subscription), customerId: idOf(customer) };
}

type NamedSubscription = Pick<Named, 'checkoutId' | 'subscription'>;

/**
 * Fields of an invoice and of a subscription before version 2025-03-31 of the API. A webhook has the shape of the version that its
 * endpoint was made with, so both are read. https://docs.stripe.com/changelog/basil
 */
type OlderInvoice = {
  subscription?: string | { id: string } | null;
  /** Missing on invoices of before 29 June 2023. */
  subscription_details?: { metadata?: Record<string, string> | null } | null;
};
type OlderSubscription = { current_period_end?: number | null };

/** The subscription that an invoice is of; null for an invoice of something else. */
function subscriptionOfInvoice(invoice: Stripe.Invoice & OlderInvoice): NamedSubscription | null {
  const details = invoice.parent?.subscription_details;
  if (details) return { checkoutId: details.metadata?.checkout_id, subscription: details.subscription };
  if (!invoice.subscription) return null;
  return {
    checkoutId: invoice.subscription_details?.metadata?.checkout_id,
    subscription: invoice.subscription,
  };
}

function aboutOfInvoice(invoice: Stripe.Invoice, atMs: number) {
  const named = subscriptionOfInvoice(invoice) ?? { checkoutId: null, subscription: null };
  return aboutOf(atMs, { ...named, customer: invoice.customer });
}

function expiredOf(session: Stripe.Checkout.Session, atMs: number): PaymentFact {
  const named = { checkoutId: session.client_reference_id, subscription: null, customer: null };
  return { ...aboutOf(atMs, named), kind: 'checkout_expired', reference: session.id };
}

const endedStatuses: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

function snapshotOf(subscription: Stripe.Subscription & OlderSubscription, at: Date): Snapshot {
  const { id, customer, metadata, items, status, cancel_at_period_end: cancels, cancel_at: cancelAt } = subscription;
  const item = items.data[0];
  const periodEnd = cancelAt ?? item?.current_period_end ?? subscription.current_period_end;
  return {
    ...aboutOf(at.getTime(), { checkoutId: metadata.checkout_id, subscription: id, customer }),
    kind: 'snapshot',
    hasEnded: endedStatuses.has(status),
    cancelAtPeriodEnd: cancels || typeof cancelAt === 'number',
    periodEndMs: typeof periodEnd === 'number' ? msOf(periodEnd) : null,
    priceId: item?.price.id ?? null,
  };
}

function refundOf(charge: Stripe.Charge, atMs: number): PaymentFact[] {
  const paymentId = idOf(charge.payment_intent);
  if (!paymentId) return [];
  const about = aboutOf(atMs, {
    checkoutId: charge.metadata.checkout_id,
    subscription: null,
    customer: charge.customer,
  });
  return [{ ...about, kind: 'refunded', paymentId, refundedPence: charge.amount_refunded }];
}

function disputeOf(dispute: Stripe.Dispute, atMs: number): PaymentFact[] {
  const paymentId = idOf(dispute.payment_intent);
  if (!paymentId) return [];
  const about = aboutOf(atMs, { checkoutId: null, subscription: null, customer: null });
  return [{ ...about, kind: 'disputed', paymentId, outcome: outcomeOf(dispute.status) }];
}

/** A warning is no dispute yet, and a closed one has come to nothing. */
function outcomeOf(status: string): 'open' | 'won' | 'lost' {
  if (status === 'lost') return 'lost';
  return status === 'won' || status === 'warning_closed' ? 'won' : 'open';
}

function cardFacts({ brand, last4 }: { brand: string; last4: string }): Card {
  return { brand, last4 };
}

function idOf(named: string | { id: string } | null | undefined): string | null {
  return typeof named === 'string' ? named : (named?.id ?? null);
}

function msOf(seconds: number): number {
  return seconds * 1_000;
}
