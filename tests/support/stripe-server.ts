import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

type Call = { method: string; path: string; fields: Record<string, string> };

/** A stand-in that speaks as much of Stripe's API as we use, and signs webhooks with Stripe's own code. */
export type StripeServer = {
  apiBase: string;
  webhookSecret: string;
  calls: Call[];
  /** Headers of a webhook with this body, signed now unless told otherwise. */
  headersFor(body: string, given?: { secret?: string; ageSeconds?: number }): Record<string, string>;
  /** The next calls are answered as if the service were down. */
  failNext(count: number): void;
  close(): Promise<void>;
};

export const stripeCard = { brand: 'mastercard', last4: '4444' };

export async function createStripeServer(): Promise<StripeServer> {
  const calls: Call[] = [];
  const webhookSecret = 'whsec_of_the_stand_in';
  let failures = 0;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const call = {
      method: request.method ?? '',
      path: pathname,
      fields: Object.fromEntries(new URLSearchParams(text)),
    };
    calls.push(call);
    const isDown = failures > 0;
    if (isDown) failures -= 1;
    const answer = isDown ? { error: { type: 'api_error', message: 'down' } } : answerTo(call);
    response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    apiBase: `http://127.0.0.1:${port}`,
    webhookSecret,
    calls,
    headersFor(body, { secret = webhookSecret, ageSeconds = 0 } = {}) {
      const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
      const stripe = new Stripe('sk_test_of_the_stand_in');
      const signature = stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
      return { 'stripe-signature': signature, 'content-type': 'application/json' };
    },
    failNext(count) {
      failures = count;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerTo({ method, path, fields }: Call): object {
  const last = path.split('/').at(-1) ?? '';
  if (method === 'GET' && path === '/v1/prices') return { object: 'list', data: [], has_more: false };
  if (path === '/v1/prices') return { id: `price_${fields.lookup_key}`, object: 'price' };
  if (path === '/v1/checkout/sessions') {
    const id = `cs_${fields.client_reference_id}`;
    return { id, object: 'checkout.session', url: `https://checkout.stripe.example/${id}` };
  }
  if (path.startsWith('/v1/invoices/')) {
    const payment = { type: 'payment_intent', payment_intent: `pi_${last}` };
    return { id: last, object: 'invoice', payments: { object: 'list', data: [{ id: 'inpay_1', payment }] } };
  }
  if (path.startsWith('/v1/payment_intents/')) {
    return { id: last, object: 'payment_intent', payment_method: { id: 'pm_1', card: stripeCard } };
  }
  if (path.startsWith('/v1/subscriptions/')) {
    return subscriptionOf({ id: last, cancelAtPeriodEnd: fields.cancel_at_period_end === 'true' });
  }
  return { id: last, object: 'unknown', url: 'https://billing.stripe.example/session' };
}

type Told = { id: string; cancelAtPeriodEnd?: boolean; checkoutId?: string; status?: string; priceId?: string };

/** A subscription as Stripe tells it, in a period that ends in thirty days. */
export function subscriptionOf({
  id,
  cancelAtPeriodEnd = false,
  checkoutId,
  status = 'active',
  priceId,
}: Told): object {
  const end = Math.floor(Date.now() / 1_000) + 30 * 86_400;
  const item = {
    id: 'si_1',
    current_period_end: end,
    price: { id: priceId ?? 'price_everkept_essential_monthly_499' },
  };
  return {
    id,
    object: 'subscription',
    customer: 'cus_1',
    status,
    metadata: checkoutId ? { checkout_id: checkoutId } : {},
    cancel_at_period_end: cancelAtPeriodEnd,
    cancel_at: null,
    items: { object: 'list', data: [item] },
  };
}
