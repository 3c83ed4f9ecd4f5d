import Stripe from 'stripe';
import {
  type AskedCheckout,
  type AskedPrice,
  PaymentError,
  type PaymentProvider,
  type PaymentSettings,
  type ProviderSubscription,
  readToldEvent,
  signatureToleranceSeconds,
  UnknownShapeError,
  WebhookRefused,
} from './payments.ts';
import { createStripeReader } from './stripe-facts.ts';
import { isKnownShape } from './stripe-shapes.ts';
import { stripeApiVersion } from './stripe-version.ts';

type StripeSettings = NonNullable<PaymentSettings['stripe']> & { timeoutMs?: number; maxNetworkRetries?: number };

const defaultTimeoutMs = 15_000;
/** A call is repeated by the library with the same idempotency key. */
const defaultRetries = 2;
/** Stripe takes no checkout that ends sooner. */
const checkoutMsMin = 31 * 60_000;

/**
 * Cards through Stripe: Checkout, subscriptions, the billing portal for another card, and signed webhooks.
 * https://docs.stripe.com/api, in the version that the library names.
 */
export function createStripeProvider(settings: StripeSettings): PaymentProvider {
  const stripe = new Stripe(settings.secretKey, {
    ...hostOf(settings.apiBase),
    apiVersion: stripeApiVersion,
    timeout: settings.timeoutMs ?? defaultTimeoutMs,
    maxNetworkRetries: settings.maxNetworkRetries ?? defaultRetries,
    telemetry: false,
  });
  const reader = createStripeReader(stripe);
  const update = (subscription: ProviderSubscription, change: Stripe.SubscriptionUpdateParams) =>
    called(async () => [
      reader.snapshot(await stripe.subscriptions.update(subscription.subscriptionId, change), new Date()),
    ]);

  return {
    name: 'stripe',

    openCheckout: (asked) =>
      called(async () => {
        const priceId = asked.term === 'once' ? null : await findPrice(stripe, asked);
        const session = await stripe.checkout.sessions.create(sessionOf(asked, priceId), {
          idempotencyKey: `checkout-${asked.checkoutId}`,
        });
        if (!session.url) throw new PaymentError('unavailable', 'no_url');
        return { url: session.url, reference: session.id, priceId };
      }),

    closeCheckout: (reference) => quietly(() => stripe.checkout.sessions.expire(reference)),
    cancelAtPeriodEnd: (subscription) => update(subscription, { cancel_at_period_end: true }),
    resume: (subscription) => update(subscription, { cancel_at_period_end: false }),

    end: (subscription) =>
      called(async () => [reader.snapshot(await stripe.subscriptions.cancel(subscription.subscriptionId), new Date())]),

    read: (subscription) =>
      called(async () => [
        reader.snapshot(await stripe.subscriptions.retrieve(subscription.subscriptionId), new Date()),
      ]),

    changePrice: (subscription, change) =>
      called(async () => {
        const priceId = await findPrice(stripe, change);
        const present = await stripe.subscriptions.retrieve(subscription.subscriptionId);
        const item = present.items.data[0];
        if (!item) throw new PaymentError('refused', 'no_item');
        await stripe.subscriptions.update(subscription.subscriptionId, {
          items: [{ id: item.id, price: priceId }],
          cancel_at_period_end: false,
          // The rest of the old period is credited, now or against later invoices.
          proration_behavior: 'always_invoice',
          // A card that is declined leaves everything as it was.
          payment_behavior: 'error_if_incomplete',
        });
        return { priceId, approvalUrl: null };
      }),

    openCardChange: ({ customerId }, returnUrl) =>
      called(async () => {
        if (!customerId) return null;
        const session = await stripe.billingPortal.sessions.create({
          customer: customerId,
          return_url: returnUrl,
          flow_data: {
            type: 'payment_method_update',
            after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
          },
        });
        return session.url;
      }),

    async verify({ body, headers }) {
      const signature = headers['stripe-signature'];
      if (typeof signature !== 'string') throw new WebhookRefused('unsigned');
      const event = verified(stripe, { body, signature, secret: settings.webhookSecret });
      const told = readToldEvent({ id: event.id, type: event.type, at: new Date(event.created * 1_000) });
      if (!isKnownShape(event)) throw new UnknownShapeError(told);
      return told;
    },

    interpret: (body) => called(() => reader.facts(JSON.parse(body.toString('utf8')) as Stripe.Event)),
  };
}

/** Another address than Stripe's own, for a stand-in. */
function hostOf(apiBase: string | undefined): Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol'> {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' };
}

function sessionOf(asked: AskedCheckout, priceId: string | null): Stripe.Checkout.SessionCreateParams {
  const { checkoutId, email, customerId, title, amountPence, returnUrl, leaveUrl } = asked;
  const metadata = { checkout_id: checkoutId };
  const once = { currency: 'gbp', unit_amount: amountPence, product_data: { name: title } };
  const endsAtMs = Math.max(asked.expiresAt.getTime(), Date.now() + checkoutMsMin);
  return {
    ...(customerId ? { customer: customerId } : { customer_email: email }),
    client_reference_id: checkoutId,
    metadata,
    success_url: returnUrl,
    cancel_url: leaveUrl,
    expires_at: Math.floor(endsAtMs / 1_000),
    locale: 'en-GB',
    ...(priceId
      ? { mode: 'subscription', line_items: [{ price: priceId, quantity: 1 }], subscription_data: { metadata } }
      : {
          mode: 'payment',
          line_items: [{ price_data: once, quantity: 1 }],
          payment_intent_data: { metadata },
          ...(customerId ? {} : { customer_creation: 'always' as const }),
        }),
  };
}

/** A price of the catalogue, found by what it is, or made. Two that make it at once make one: the key is the same. */
async function findPrice(stripe: Stripe, { plan, title, term, amountPence }: AskedPrice): Promise<string> {
  const key = `everkept_${plan}_${term}_${amountPence}`;
  const found = await stripe.prices.list({ lookup_keys: [key], active: true, limit: 1 });
  const known = found.data[0];
  if (known) return known.id;
  const made = await stripe.prices.create(
    {
      currency: 'gbp',
      unit_amount: amountPence,
      lookup_key: key,
      recurring: { interval: term === 'annual' ? 'year' : 'month' },
      product_data: { name: title },
    },
    { idempotencyKey: `price-${key}` },
  );
  return made.id;
}

type Signed = { body: Buffer; signature: string; secret: string };

function verified(stripe: Stripe, { body, signature, secret }: Signed): Stripe.Event {
  try {
    const event = stripe.webhooks.constructEvent(body, signature, secret, signatureToleranceSeconds);
    const signedAtSeconds = Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]);
    // The library looks at the past only.
    if (signedAtSeconds - Date.now() / 1_000 > signatureToleranceSeconds) throw new WebhookRefused('old');
    return event;
  } catch (error) {
    if (error instanceof WebhookRefused) throw error;
    if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw new WebhookRefused('unreadable');
    throw new WebhookRefused(/tolerance/i.test(error.message) ? 'old' : 'signature');
  }
}

async function quietly(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
  }
}

/** Stripe's words for an error may hold an address or part of a card, so only its code goes on. */
async function called<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const isRefusal =
      error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError;
    throw new PaymentError(isRefusal ? 'refused' : 'unavailable', error.code ?? error.type);
  }
}
