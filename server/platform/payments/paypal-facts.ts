import { z } from 'zod';
import type { PaymentFact, Snapshot } from './payment-facts.rules.ts';
import { PaymentError } from './payments.ts';
import type { PayPalClient } from './paypal-client.ts';

const amount = z.object({ value: z.string(), currency_code: z.string() });
const instantText = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const link = z.object({ href: z.string(), rel: z.string() });

export const eventSchema = z.object({
  id: z.string().min(1),
  event_type: z.string(),
  create_time: instantText,
  resource: z.unknown(),
});

export const subscriptionSchema = z.object({
  id: z.string(),
  status: z.string(),
  plan_id: z.string().nullish(),
  custom_id: z.string().nullish(),
  subscriber: z.object({ payer_id: z.string().nullish() }).nullish(),
  billing_info: z.object({ next_billing_time: instantText.nullish() }).nullish(),
});
export type PayPalSubscription = z.infer<typeof subscriptionSchema>;

const captureSchema = z.object({
  id: z.string(),
  amount,
  custom_id: z.string().nullish(),
  supplementary_data: z.object({ related_ids: z.object({ order_id: z.string().nullish() }).nullish() }).nullish(),
});

export const orderSchema = z.object({
  id: z.string(),
  status: z.string(),
  purchase_units: z
    .array(
      z.object({
        custom_id: z.string().nullish(),
        payments: z.object({ captures: z.array(captureSchema.extend({ status: z.string() })).nullish() }).nullish(),
      }),
    )
    .default([]),
});

const saleSchema = z.object({
  id: z.string(),
  amount: z.object({ total: z.string(), currency: z.string() }),
  billing_agreement_id: z.string().nullish(),
});

const refundSchema = z.object({
  amount: amount.nullish(),
  custom_id: z.string().nullish(),
  links: z.array(link).default([]),
  seller_payable_breakdown: z.object({ total_refunded_amount: amount.nullish() }).nullish(),
});

const saleRefundSchema = z.object({
  sale_id: z.string(),
  amount: z.object({ total: z.string() }).nullish(),
  total_refunded_amount: z.object({ value: z.string() }).nullish(),
});

const disputeSchema = z.object({
  disputed_transactions: z.array(z.object({ seller_transaction_id: z.string().nullish() })).default([]),
  dispute_outcome: z.object({ outcome_code: z.string().nullish() }).nullish(),
});

const approvedOrderSchema = z.object({ id: z.string() });

/** The object of each kind of event that we read. */
const resourceSchemas: Readonly<Record<string, z.ZodType>> = {
  'CHECKOUT.ORDER.APPROVED': approvedOrderSchema,
  'PAYMENT.CAPTURE.COMPLETED': captureSchema,
  'PAYMENT.SALE.COMPLETED': saleSchema,
  'BILLING.SUBSCRIPTION.PAYMENT.FAILED': subscriptionSchema,
  'BILLING.SUBSCRIPTION.ACTIVATED': subscriptionSchema,
  'BILLING.SUBSCRIPTION.RE-ACTIVATED': subscriptionSchema,
  'BILLING.SUBSCRIPTION.UPDATED': subscriptionSchema,
  'BILLING.SUBSCRIPTION.SUSPENDED': subscriptionSchema,
  'BILLING.SUBSCRIPTION.CANCELLED': subscriptionSchema,
  'BILLING.SUBSCRIPTION.EXPIRED': subscriptionSchema,
  'PAYMENT.CAPTURE.REFUNDED': refundSchema,
  'PAYMENT.CAPTURE.REVERSED': refundSchema,
  'PAYMENT.SALE.REFUNDED': saleRefundSchema,
  'PAYMENT.SALE.REVERSED': saleRefundSchema,
  'CUSTOMER.DISPUTE.CREATED': disputeSchema,
  'CUSTOMER.DISPUTE.RESOLVED': disputeSchema,
};

/** True if we can read an event, or need nothing of it. */
export function isKnownResource({ event_type: type, resource }: z.infer<typeof eventSchema>): boolean {
  return resourceSchemas[type]?.safeParse(resource).success ?? true;
}

/**
 * Reads what PayPal tells. An approved order is only a promise: it is captured here, which may be repeated.
 * https://developer.paypal.com/api/rest/webhooks/event-names
 */
export function createPayPalReader(client: PayPalClient) {
  const readSubscription = (id: string) =>
    client.call({
      method: 'GET',
      path: `/v1/billing/subscriptions/${encodeURIComponent(id)}`,
      answer: subscriptionSchema,
    });

  async function ofSale(resource: unknown, atMs: number): Promise<PaymentFact[]> {
    const sale = saleSchema.parse(resource);
    if (!sale.billing_agreement_id) return [];
    const subscription = await readSubscription(sale.billing_agreement_id);
    const snapshot = snapshotOf(subscription, atMs);
    const about = aboutOf(subscription, atMs);
    const money = { amountPence: penceOf(sale.amount.total), currency: sale.amount.currency };
    return [
      { ...about, kind: 'checkout_paid', reference: subscription.id, ...money },
      {
        ...about,
        kind: 'payment_received',
        paymentId: sale.id,
        pricePence: money.amountPence,
        isRegular: true,
        periodEndMs: snapshot.periodEndMs,
        card: null,
        ...money,
      },
      snapshot,
    ];
  }

  /** Takes the money of an order that its payer has approved, once; gives the order as it is then. */
  async function captured(id: string, requestId: string): Promise<z.infer<typeof orderSchema>> {
    const path = `/v2/checkout/orders/${encodeURIComponent(id)}`;
    try {
      return await client.call({ method: 'POST', path: `${path}/capture`, requestId, body: {}, answer: orderSchema });
    } catch (error) {
      // The card was declined, and its owner may approve the order with another; or it was captured before.
      if (!(error instanceof PaymentError && error.failure === 'refused')) throw error;
      return client.call({ method: 'GET', path, answer: orderSchema });
    }
  }

  async function capture(resource: unknown, eventId: string, atMs: number): Promise<PaymentFact[]> {
    const { id } = approvedOrderSchema.parse(resource);
    const order = await captured(id, `capture-${eventId}`);
    return order.purchase_units.flatMap(({ custom_id, payments }) =>
      (payments?.captures ?? [])
        .filter(({ status }) => status === 'COMPLETED')
        .flatMap((done) => ofCapture({ custom_id, ...done }, atMs, order.id)),
    );
  }

  return {
    readSubscription,
    async facts({ id, event_type: type, create_time: createTime, resource }: z.infer<typeof eventSchema>) {
      const atMs = Date.parse(createTime);
      switch (type) {
        case 'CHECKOUT.ORDER.APPROVED':
          return capture(resource, id, atMs);
        case 'PAYMENT.CAPTURE.COMPLETED':
          return ofCapture(resource, atMs, null);
        case 'PAYMENT.SALE.COMPLETED':
          return ofSale(resource, atMs);
        case 'BILLING.SUBSCRIPTION.PAYMENT.FAILED':
          return [{ ...aboutOf(subscriptionSchema.parse(resource), atMs), kind: 'payment_failed' as const }];
        case 'BILLING.SUBSCRIPTION.ACTIVATED':
        case 'BILLING.SUBSCRIPTION.RE-ACTIVATED':
        case 'BILLING.SUBSCRIPTION.UPDATED':
        case 'BILLING.SUBSCRIPTION.SUSPENDED':
        case 'BILLING.SUBSCRIPTION.CANCELLED':
        case 'BILLING.SUBSCRIPTION.EXPIRED':
          return [snapshotOf(subscriptionSchema.parse(resource), atMs)];
        case 'PAYMENT.CAPTURE.REFUNDED':
        case 'PAYMENT.CAPTURE.REVERSED':
          return ofCaptureRefund(resource, atMs);
        case 'PAYMENT.SALE.REFUNDED':
        case 'PAYMENT.SALE.REVERSED':
          return ofSaleRefund(resource, atMs);
        case 'CUSTOMER.DISPUTE.CREATED':
        case 'CUSTOMER.DISPUTE.RESOLVED':
          return ofDispute(resource, atMs, type === 'CUSTOMER.DISPUTE.RESOLVED');
        default:
          return [];
      }
    },
  };
}

function aboutOf({ id, custom_id, subscriber }: PayPalSubscription, atMs: number) {
  return { atMs, checkoutId: custom_id ?? null, subscriptionId: id, customerId: subscriber?.payer_id ?? null };
}

/**
 * A cancelled subscription is charged no more. Its paid period runs to its end, which PayPal no longer names. A new
 * price counts from its first payment, so only the next payment's price is named.
 */
export function snapshotOf(subscription: PayPalSubscription, atMs: number): Snapshot {
  const next = subscription.billing_info?.next_billing_time;
  return {
    ...aboutOf(subscription, atMs),
    kind: 'snapshot',
    hasEnded: subscription.status === 'EXPIRED',
    cancelAtPeriodEnd: subscription.status === 'SUSPENDED' || subscription.status === 'CANCELLED',
    periodEndMs: next ? Date.parse(next) : null,
    priceId: null,
    nextPriceId: subscription.plan_id ?? null,
  };
}

function ofCapture(resource: unknown, atMs: number, orderId: string | null): PaymentFact[] {
  const capture = captureSchema.parse(resource);
  const reference = orderId ?? capture.supplementary_data?.related_ids?.order_id;
  if (!reference) return [];
  const about = { atMs, checkoutId: capture.custom_id ?? null, subscriptionId: null, customerId: null };
  const money = { amountPence: penceOf(capture.amount.value), currency: capture.amount.currency_code };
  const pricePence = money.amountPence;
  const received = { paymentId: capture.id, pricePence, isRegular: true, periodEndMs: null, card: null, ...money };
  return [
    { ...about, kind: 'checkout_paid', reference, ...money },
    { ...about, kind: 'payment_received', ...received },
  ];
}

function ofCaptureRefund(resource: unknown, atMs: number): PaymentFact[] {
  const { amount: refunded, custom_id, links, seller_payable_breakdown: breakdown } = refundSchema.parse(resource);
  const paymentId = links
    .find(({ rel }) => rel === 'up')
    ?.href.split('/')
    .at(-1);
  const total = breakdown?.total_refunded_amount ?? refunded;
  if (!paymentId || !total) return [];
  const about = { atMs, checkoutId: custom_id ?? null, subscriptionId: null, customerId: null };
  return [{ ...about, kind: 'refunded', paymentId, refundedPence: penceOf(total.value) }];
}

function ofSaleRefund(resource: unknown, atMs: number): PaymentFact[] {
  const { sale_id: paymentId, amount: refunded, total_refunded_amount: total } = saleRefundSchema.parse(resource);
  const value = total?.value ?? refunded?.total;
  if (value === undefined) return [];
  const about = { atMs, checkoutId: null, subscriptionId: null, customerId: null };
  return [{ ...about, kind: 'refunded', paymentId, refundedPence: Math.abs(penceOf(value)) }];
}

function ofDispute(resource: unknown, atMs: number, isResolved: boolean): PaymentFact[] {
  const { disputed_transactions: transactions, dispute_outcome: outcome } = disputeSchema.parse(resource);
  const isLost = outcome?.outcome_code === 'RESOLVED_BUYER_FAVOUR';
  const about = { atMs, checkoutId: null, subscriptionId: null, customerId: null };
  return transactions.flatMap(({ seller_transaction_id: paymentId }): PaymentFact[] =>
    paymentId
      ? [{ ...about, kind: 'disputed', paymentId, outcome: isResolved ? (isLost ? 'lost' : 'won') : 'open' }]
      : [],
  );
}

/** Returns 499 for `4.99`, without a float in between. */
function penceOf(value: string): number {
  const [, sign = '', pounds = '0', pence = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(value) ?? [];
  return Number(`${sign}${pounds}${pence.padEnd(2, '0')}`);
}
