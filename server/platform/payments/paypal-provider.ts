import { z } from 'zod';
import {
  type AskedCheckout,
  type AskedPrice,
  PaymentError,
  type PaymentProvider,
  type PaymentSettings,
  type ProviderSubscription,
  readToldEvent,
  UnknownShapeError,
  WebhookRefused,
} from './payments.ts';
import { createPayPalClient, type PayPalClient, payPalLive } from './paypal-client.ts';
import {
  createPayPalReader,
  eventSchema,
  isKnownResource,
  orderSchema,
  snapshotOf,
  subscriptionSchema,
} from './paypal-facts.ts';
import { createPayPalSignatures } from './paypal-signature.ts';

type PayPalSettings = NonNullable<PaymentSettings['paypal']> & { timeoutMs?: number };

const brandName = 'Everkept';
/** One for all plans: PayPal changes a subscription only between plans of the same product. */
const productId = 'EVERKEPT';
const nothing = z.unknown();
const links = z.object({ links: z.array(z.object({ href: z.string(), rel: z.string() })).default([]) });
const planList = z.object({ plans: z.array(z.object({ id: z.string(), name: z.string(), status: z.string() })) });
const made = z.object({ id: z.string() });
/** More prices of one plan than there can be vouchers in use at once. */
const plansPageSize = 20;
const plansPagesMax = 25;

/**
 * PayPal: an order for a one-off purchase, a subscription otherwise. PayPal can't cancel at the end of a period. So a
 * cancelled subscription is suspended, which can be undone, and we end it at that time. PayPal credits no rest of a
 * period either: a new price and plan start with the next payment.
 */
export function createPayPalProvider(settings: PayPalSettings): PaymentProvider {
  const client = createPayPalClient(settings);
  const { webhookId, apiBase = payPalLive } = settings;
  const checkSignature = createPayPalSignatures({ webhookId, apiBase, timeoutMs: settings.timeoutMs });
  const reader = createPayPalReader(client);
  const findPlan = rememberedPlans(client);

  const act = async (subscription: ProviderSubscription, verb: 'suspend' | 'activate' | 'cancel', reason: string) => {
    const path = `${pathOf(subscription)}/${verb}`;
    await client.call({ method: 'POST', path, body: { reason }, answer: nothing });
    return snapshotOf(await reader.readSubscription(subscription.subscriptionId), Date.now());
  };

  return {
    name: 'paypal',
    openCheckout: async (asked) =>
      asked.term === 'once' ? openOrder(client, asked) : openSubscription(client, asked, await findPlan(asked)),
    // An unapproved order expires at PayPal.
    closeCheckout: async () => {},
    cancelAtPeriodEnd: async (subscription) => [await act(subscription, 'suspend', 'Cancelled by the subscriber.')],
    resume: async (subscription) => [await act(subscription, 'activate', 'Taken back by the subscriber.')],
    end: async (subscription) => [
      { ...(await act(subscription, 'cancel', 'The subscription has ended.')), hasEnded: true },
    ],
    read: async (subscription) => [snapshotOf(await reader.readSubscription(subscription.subscriptionId), Date.now())],

    async changePrice(subscription, change) {
      const priceId = await findPlan(change);
      const revised = await client.call({
        method: 'POST',
        path: `${pathOf(subscription)}/revise`,
        body: { plan_id: priceId, application_context: contextOf(change) },
        answer: links,
      });
      return { priceId, approvalUrl: linkOf(revised, 'approve') };
    },

    // Cards lie with PayPal, behind a sign-in there.
    openCardChange: async () => null,

    async verify(webhook) {
      await checkSignature(webhook);
      const event = eventOf(webhook.body);
      const told = readToldEvent({ id: event.id, type: event.event_type, at: new Date(event.create_time) });
      if (!isKnownResource(event)) throw new UnknownShapeError(told);
      return told;
    },
    interpret: async (body) => reader.facts(eventOf(body)),
  };
}

async function openOrder(client: PayPalClient, asked: AskedCheckout) {
  const order = await client.call({
    method: 'POST',
    path: '/v2/checkout/orders',
    requestId: `checkout-${asked.checkoutId}`,
    body: {
      intent: 'CAPTURE',
      purchase_units: [{ custom_id: asked.checkoutId, description: asked.title, amount: amountOf(asked.amountPence) }],
      payment_source: { paypal: { experience_context: { ...contextOf(asked), user_action: 'PAY_NOW' } } },
    },
    answer: orderSchema.extend(links.shape),
  });
  return { url: requireUrl(linkOf(order, 'payer-action')), reference: order.id, priceId: null };
}

async function openSubscription(client: PayPalClient, asked: AskedCheckout, priceId: string) {
  const subscription = await client.call({
    method: 'POST',
    path: '/v1/billing/subscriptions',
    requestId: `checkout-${asked.checkoutId}`,
    body: {
      plan_id: priceId,
      custom_id: asked.checkoutId,
      subscriber: { email_address: asked.email },
      application_context: { ...contextOf(asked), user_action: 'SUBSCRIBE_NOW' },
    },
    answer: subscriptionSchema.extend(links.shape),
  });
  return { url: requireUrl(linkOf(subscription, 'approve')), reference: subscription.id, priceId };
}

/** Finds the plan of a price by its name, or makes it; each is looked for once. */
function rememberedPlans(client: PayPalClient): (asked: AskedPrice) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (asked) => {
    const name = planName(asked);
    const found = known.get(name) ?? findOrMakePlan(client, asked, name);
    known.set(name, found);
    found.catch(() => known.delete(name));
    return found;
  };
}

async function findOrMakePlan(client: PayPalClient, asked: AskedPrice, name: string): Promise<string> {
  await makeProduct(client);
  for (let page = 1; page <= plansPagesMax; page += 1) {
    const { plans } = await client.call({
      method: 'GET',
      path: `/v1/billing/plans?product_id=${productId}&page_size=${plansPageSize}&page=${page}`,
      answer: planList,
    });
    const found = plans.find((plan) => plan.name === name && plan.status === 'ACTIVE');
    if (found) return found.id;
    if (plans.length < plansPageSize) break;
  }
  const plan = await client.call({
    method: 'POST',
    path: '/v1/billing/plans',
    requestId: `plan-${asked.plan}-${asked.term}-${asked.amountPence}`,
    body: {
      product_id: productId,
      name,
      billing_cycles: [
        {
          frequency: { interval_unit: asked.term === 'annual' ? 'YEAR' : 'MONTH', interval_count: 1 },
          tenure_type: 'REGULAR',
          sequence: 1,
          total_cycles: 0,
          pricing_scheme: { fixed_price: amountOf(asked.amountPence) },
        },
      ],
      payment_preferences: { auto_bill_outstanding: true, payment_failure_threshold: 3 },
    },
    answer: made,
  });
  return plan.id;
}

async function makeProduct(client: PayPalClient): Promise<void> {
  try {
    const path = '/v1/catalogs/products';
    const body = { id: productId, name: brandName, type: 'SERVICE' };
    await client.call({ method: 'POST', path, requestId: productId, body, answer: made });
  } catch (error) {
    // The item exists already.
    if (!(error instanceof PaymentError && error.failure === 'refused')) throw error;
  }
}

function planName({ title, term, amountPence }: AskedPrice): string {
  return `${title}, £${pounds(amountPence)} ${term === 'annual' ? 'a year' : 'a month'}`;
}

function contextOf({ returnUrl, leaveUrl }: { returnUrl: string; leaveUrl: string }) {
  return { brand_name: brandName, shipping_preference: 'NO_SHIPPING', return_url: returnUrl, cancel_url: leaveUrl };
}

function amountOf(amountPence: number) {
  return { currency_code: 'GBP', value: pounds(amountPence) };
}

function pounds(pence: number): string {
  return `${Math.floor(pence / 100)}.${String(pence % 100).padStart(2, '0')}`;
}

function pathOf({ subscriptionId }: ProviderSubscription): string {
  return `/v1/billing/subscriptions/${encodeURIComponent(subscriptionId)}`;
}

function linkOf(answer: z.infer<typeof links>, rel: string): string | null {
  return answer.links.find((link) => link.rel === rel)?.href ?? null;
}

function requireUrl(url: string | null): string {
  if (!url) throw new PaymentError('unavailable', 'no_url');
  return url;
}

function eventOf(body: Buffer): z.infer<typeof eventSchema> {
  try {
    return eventSchema.parse(JSON.parse(body.toString('utf8')));
  } catch {
    throw new WebhookRefused('unreadable');
  }
}
