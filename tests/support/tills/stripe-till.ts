import Stripe from 'stripe';
import { paymentsOf } from '#server/platform/payments/payments.ts';
import { periodEndAfter } from '#server/platform/payments/periods.ts';
import { createStripeProvider } from '#server/platform/payments/stripe-provider.ts';
import { type Answer, type Call, createStandIn } from './stand-in.ts';
import { olderShapeOf, type StripeShape } from './stripe-shapes.ts';
import { spoiled, type Till } from './till.ts';

type Price = { id: string; amountPence: number; term: 'monthly' | 'annual' };
type Session = { id: string; checkoutId: string; customer: string; price: Price | null; amountPence: number };
type Payment = { id: string; amountPence: number; refundedPence: number };
type Purchase = {
  id: string;
  checkoutId: string;
  customer: string;
  price: Price | null;
  startedAtMs: number;
  periodEndMs: number;
  cancels: boolean;
  status: string;
  payments: Payment[];
};
type Fields = Record<string, string>;

export type StripeTill = Till & {
  /** In the billing portal, a customer gives another card. */
  changeCard(url: string): void;
};

const webhookSecret = 'whsec_of_the_till';
const firstCard = { brand: 'visa', last4: '4242' };
export const stripesOtherCard = { brand: 'mastercard', last4: '4444' };
/** Fixed credit for the rest of a period, for every change. */
const prorationPence = 321;

/**
 * As much of Stripe's API as the product uses, https://docs.stripe.com/api, with webhooks signed by Stripe's own code. `shape`: the
 * version of the API that the endpoint of its webhooks was made with; answers to calls have the present one.
 */
export async function createStripeTill(shape: StripeShape = 'present'): Promise<StripeTill> {
  const told: string[] = [];
  const prices = new Map<string, Price>();
  const sessions = new Map<string, Session>();
  const purchases = new Map<string, Purchase>();
  const amounts = new Map<string, number>();
  const stripe = new Stripe('sk_test_of_the_till');
  let aheadMs = 0;
  let names = 0;
  const name = (prefix: string) => `${prefix}_${++names}`;
  const nowMs = () => Date.now() + aheadMs;

  const tell = (type: string, object: object) => {
    const data = { object: shape === 'present' ? object : olderShapeOf(object, shape) };
    told.push(JSON.stringify({ id: name('evt'), object: 'event', type, created: seconds(nowMs()), data }));
  };
  const tellSubscription = (type: string, purchase: Purchase) =>
    tell(`customer.subscription.${type}`, subscriptionOf(purchase));

  function receive(
    purchase: Purchase,
    given: { amountPence: number; currency?: string; customer?: string; why: string },
  ) {
    const { amountPence, currency = 'gbp', customer = purchase.customer, why } = given;
    const id = name('in');
    amounts.set(id, amountPence);
    purchase.payments.push({ id: `pi_${id}`, amountPence, refundedPence: 0 });
    tell('invoice.paid', {
      ...invoiceOf(purchase, id, why),
      amount_paid: amountPence,
      total: amountPence,
      currency: currency.toLowerCase(),
      customer,
    });
  }

  function find(id: string): Purchase {
    const purchase = purchases.get(id);
    if (!purchase) throw new Error(`The till knows no purchase ${id}.`);
    return purchase;
  }

  function makePrice(fields: Fields): Price {
    const key = fields.lookup_key ?? '';
    const term = fields['recurring[interval]'] === 'year' ? 'annual' : 'monthly';
    const price = { id: `price_${key}`, amountPence: Number(fields.unit_amount), term } as const;
    prices.set(key, price);
    return price;
  }

  function openSession(fields: Fields): Answer {
    const price = [...prices.values()].find(({ id }) => id === fields['line_items[0][price]']) ?? null;
    const amountPence = price?.amountPence ?? Number(fields['line_items[0][price_data][unit_amount]']);
    const checkoutId = fields.client_reference_id ?? '';
    const session = { id: name('cs'), checkoutId, customer: fields.customer ?? name('cus'), price, amountPence };
    sessions.set(session.id, session);
    return {
      body: { id: session.id, object: 'checkout.session', url: `${service.pagesUrl}/checkout/${session.id}` },
    };
  }

  function update(purchase: Purchase, fields: Fields): Answer {
    const { cancel_at_period_end: cancels, 'items[0][price]': priceId } = fields;
    if (cancels !== undefined) purchase.cancels = cancels === 'true';
    const price = [...prices.values()].find(({ id }) => id === priceId);
    if (price && price.id !== purchase.price?.id) {
      if (price.term !== purchase.price?.term) {
        purchase.startedAtMs = nowMs();
        purchase.periodEndMs = endAfter(price, nowMs(), nowMs());
      }
      purchase.price = price;
      receive(purchase, { amountPence: prorationPence, why: 'subscription_update' });
    }
    tellSubscription('updated', purchase);
    return { body: subscriptionOf(purchase) };
  }

  function ofSubscription({ method, path, text }: Call): Answer {
    const purchase = purchases.get(path.split('/').at(-1) ?? '');
    if (!purchase) return missing();
    if (method === 'POST') return update(purchase, fieldsOf(text));
    if (method === 'DELETE') {
      purchase.status = 'canceled';
      tellSubscription('deleted', purchase);
    }
    return { body: subscriptionOf(purchase) };
  }

  const service = await createStandIn((call) => {
    const { method, path, query, text } = call;
    const fields = fieldsOf(text);
    const last = path.split('/').at(-1) ?? '';
    if (path === '/v1/prices' && method === 'GET') {
      const found = prices.get(query.get('lookup_keys[0]') ?? '');
      return { body: { object: 'list', data: found ? [{ id: found.id }] : [], has_more: false } };
    }
    if (path === '/v1/prices') return { body: { object: 'price', id: makePrice(fields).id } };
    if (path.startsWith('/checkout/')) return { body: 'The page where a customer of Stripe pays' };
    if (path === '/v1/checkout/sessions') return openSession(fields);
    if (path.startsWith('/v1/subscriptions/')) return ofSubscription(call);
    if (path.startsWith('/v1/invoices/')) {
      const payment = { type: 'payment_intent', payment_intent: `pi_${last}` };
      return { body: { id: last, object: 'invoice', payments: { object: 'list', data: [{ id: 'inpay', payment }] } } };
    }
    if (path.startsWith('/v1/payment_intents/')) {
      return { body: { id: last, object: 'payment_intent', payment_method: { id: 'pm_1', card: firstCard } } };
    }
    if (path.startsWith('/v1/payment_methods/')) return { body: { id: last, card: stripesOtherCard } };
    if (path === '/v1/billing_portal/sessions') {
      return { body: { id: name('bps'), url: `https://billing.stripe.example/${fields.customer}` } };
    }
    if (path.endsWith('/expire') && sessions.delete(path.split('/').at(-2) ?? '')) return { body: { id: last } };
    return missing();
  });

  const newest = (id: string) => {
    const payment = find(id).payments.at(-1);
    if (!payment) throw new Error(`Nothing was paid for ${id}.`);
    return payment;
  };
  const sessionOf = (url: string) => {
    const session = sessions.get(url.split('/').at(-1) ?? '');
    if (!session) throw new Error(`There is no checkout at ${url}.`);
    return session;
  };

  return {
    name: 'stripe',
    calls: service.calls,
    url: service.url,
    secret: webhookSecret,
    sample(id) {
      const about = { checkoutId: id, customer: `cus_${id}`, price: null, startedAtMs: 0, periodEndMs: 0 };
      tellSubscription('updated', { id: `sub_${id}`, ...about, cancels: false, status: 'active', payments: [] });
      return told.pop() ?? '';
    },
    failNext: service.failNext,
    close: service.close,
    payments: () =>
      paymentsOf([createStripeProvider({ secretKey: 'sk_test_ours', webhookSecret, apiBase: service.url })]),
    setAheadMs(ms) {
      aheadMs = ms;
    },

    async pay(url, wrong = {}) {
      const { id, checkoutId, customer: asked, price, amountPence: askedPence } = sessionOf(url);
      const { amountPence = askedPence, currency = 'gbp', customer = asked } = wrong;
      const startedAtMs = nowMs();
      const periodEndMs = price ? endAfter(price, startedAtMs, startedAtMs) : 0;
      const about = { checkoutId, customer, price, startedAtMs, periodEndMs };
      const purchase: Purchase = { id: name('sub'), ...about, cancels: false, status: 'active', payments: [] };
      purchases.set(purchase.id, purchase);
      if (price) {
        tellSubscription('created', purchase);
        receive(purchase, { amountPence, currency, why: 'subscription_create' });
      } else purchase.payments.push({ id: name('pi'), amountPence, refundedPence: 0 });
      tell('checkout.session.completed', {
        id,
        client_reference_id: checkoutId,
        mode: price ? 'subscription' : 'payment',
        payment_status: 'paid',
        amount_total: amountPence,
        currency: currency.toLowerCase(),
        customer,
        subscription: price ? purchase.id : null,
        payment_intent: price ? null : purchase.payments[0]?.id,
      });
      return purchase.id;
    },

    async decline(url) {
      const { checkoutId, customer } = sessionOf(url);
      const metadata = { checkout_id: checkoutId };
      tell('payment_intent.payment_failed', { id: name('pi'), customer, metadata });
    },

    renew(id, { amountPence, currency, customer } = {}) {
      const purchase = find(id);
      if (!purchase.price) throw new Error('What is bought once has no other period.');
      purchase.periodEndMs = endAfter(purchase.price, purchase.startedAtMs, purchase.periodEndMs);
      const money = { amountPence: amountPence ?? purchase.price.amountPence, why: 'subscription_cycle' };
      receive(purchase, { ...money, ...(currency ? { currency } : {}), ...(customer ? { customer } : {}) });
      tellSubscription('updated', purchase);
    },
    failRenewal(id) {
      tell('invoice.payment_failed', invoiceOf(find(id), name('in'), 'subscription_cycle'));
    },

    refund(id, amountPence) {
      const payment = newest(id);
      payment.refundedPence += amountPence ?? payment.amountPence;
      const { checkoutId, customer, price } = find(id);
      const money = { payment_intent: payment.id, amount_refunded: payment.refundedPence, customer };
      tell('charge.refunded', { id: name('ch'), ...money, metadata: price ? {} : { checkout_id: checkoutId } });
    },
    dispute(id, outcome) {
      const status = outcome === 'open' ? 'needs_response' : outcome;
      const type = outcome === 'open' ? 'created' : 'closed';
      tell(`charge.dispute.${type}`, { id: name('dp'), payment_intent: newest(id).id, status });
    },
    approve: () => {},
    changeCard(url) {
      tell('customer.updated', {
        id: url.split('/').at(-1),
        invoice_settings: { default_payment_method: name('pm') },
      });
    },

    take: () => told.splice(0),
    sign(body, forgery) {
      const json = { 'content-type': 'application/json' };
      if (forgery === 'unsigned') return { body, headers: json };
      const secret = forgery === 'other key' ? 'whsec_of_somebody' : webhookSecret;
      const ageSeconds = forgery === '301 seconds old' ? 301 : forgery === '301 seconds ahead' ? -305 : 0;
      const timestamp = seconds(Date.now()) - ageSeconds;
      const signature = stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
      const sent = forgery === 'one byte changed' ? spoiled(body) : body;
      return { body: sent, headers: { ...json, 'stripe-signature': signature } };
    },
  };
}

function endAfter({ term }: Price, startMs: number, atMs: number): number {
  return periodEndAfter(new Date(startMs), term, new Date(atMs)).getTime();
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

function fieldsOf(text: string): Fields {
  return Object.fromEntries(new URLSearchParams(text));
}

function missing(): Answer {
  return { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'None' } } };
}

function subscriptionOf({ id, customer, status, checkoutId, cancels, periodEndMs, price }: Purchase): object {
  const item = { id: `si_${id}`, current_period_end: seconds(periodEndMs), price: { id: price?.id } };
  return {
    id,
    object: 'subscription',
    customer,
    status,
    metadata: { checkout_id: checkoutId },
    cancel_at_period_end: cancels,
    cancel_at: null,
    items: { object: 'list', data: [item] },
  };
}

function invoiceOf({ id, checkoutId, customer, periodEndMs }: Purchase, name: string, why: string): object {
  return {
    id: name,
    billing_reason: why,
    customer,
    lines: { data: [{ period: { end: seconds(periodEndMs) } }] },
    parent: { subscription_details: { subscription: id, metadata: { checkout_id: checkoutId } } },
  };
}
