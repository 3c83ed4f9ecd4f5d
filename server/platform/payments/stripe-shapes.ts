import { z } from 'zod';

/** The fields that we read of each object of an event, in all shapes that we know. Missing ones mean another version of the API. */

const named = z.union([z.string(), z.object({ id: z.string() })]);
const expiredCheckout = z.object({ id: z.string() });
const checkout = expiredCheckout.extend({ payment_status: z.string(), mode: z.string() });

const subscription = z
  .object({
    id: z.string(),
    status: z.string(),
    metadata: z.object({}),
    cancel_at_period_end: z.boolean(),
    current_period_end: z.number().optional(),
    items: z.object({ data: z.array(z.object({ current_period_end: z.number().optional() })) }),
  })
  .refine(
    ({ items: { data }, current_period_end: end }) =>
      end !== undefined || data.every((item) => item.current_period_end !== undefined),
  );

/** Since version 2025-03-31 the subscription is named in `parent`. Either field is null for an invoice of something else. */
const invoice = z.union([
  z.object({ parent: z.object({ subscription_details: z.object({ subscription: named }).nullish() }).nullable() }),
  z.object({ subscription: named.nullable() }),
]);
const paidInvoice = invoice.and(
  z.object({
    amount_paid: z.number(),
    total: z.number(),
    currency: z.string(),
    lines: z.object({ data: z.array(z.object({ period: z.object({ end: z.number() }) })) }),
  }),
);

const payment = z.object({ payment_intent: named.nullable() });
const refund = payment.extend({ amount_refunded: z.number(), metadata: z.object({}) });
const dispute = payment.extend({ status: z.string() });

const shapes: Readonly<Record<string, z.ZodType>> = {
  'checkout.session.completed': checkout,
  'checkout.session.async_payment_succeeded': checkout,
  'checkout.session.expired': expiredCheckout,
  'checkout.session.async_payment_failed': expiredCheckout,
  'customer.subscription.created': subscription,
  'customer.subscription.updated': subscription,
  'customer.subscription.deleted': subscription,
  'invoice.paid': paidInvoice,
  'invoice.payment_failed': invoice,
  'customer.updated': z.object({ id: z.string() }),
  'charge.refunded': refund,
  'charge.dispute.created': dispute,
  'charge.dispute.closed': dispute,
  'charge.dispute.funds_reinstated': dispute,
};

/** True if we can read an event, or need nothing of it. */
export function isKnownShape({ type, data }: { type: string; data?: { object?: unknown } }): boolean {
  return shapes[type]?.safeParse(data?.object).success ?? true;
}
