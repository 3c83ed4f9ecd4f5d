import { sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { paymentsOf } from '#server/platform/payments/payments.ts';
import { createPayPalProvider } from '#server/platform/payments/paypal-provider.ts';
import { periodEndAfter } from '#server/platform/payments/periods.ts';
import { createCertificate } from './certificate.ts';
import { type Answer, type Call, createStandIn } from './stand-in.ts';
import { spoiled, type Till } from './till.ts';

type Plan = { id: string; name: string; productId: string; value: string; term: 'monthly' | 'annual' };
type Money = { value: string; currency_code: string };
type Payment = { id: string; money: Money; refundedPence: number };
type Subscription = {
  id: string;
  checkoutId: string;
  plan: Plan;
  asked: Plan | null;
  status: string;
  payer: string | null;
  startedAtMs: number;
  nextMs: number | null;
  payments: Payment[];
};
type Order = { id: string; checkoutId: string; status: string; asked: Money; isDeclined: boolean; payments: Payment[] };

const webhookId = 'WH-OF-THE-TILL';

/**
 * The part of PayPal's REST API that the product uses: a token, products, plans, subscriptions, orders, and webhooks
 * signed with its own certificate. https://developer.paypal.com/api/rest
 */
export async function createPayPalTill(): Promise<Till> {
  const told: string[] = [];
  const products = new Set<string>();
  const plans: Plan[] = [];
  const subscriptions = new Map<string, Subscription>();
  const orders = new Map<string, Order>();
  const { privateKey, pem } = createCertificate('messageverificationcerts.paypal.example');
  const stranger = createCertificate('somebody.example');
  let aheadMs = 0;
  let names = 0;
  const name = (prefix: string) => `${prefix}-${++names}`;
  const nowMs = () => Date.now() + aheadMs;

  const tell = (type: string, resource: object) =>
    void told.push(
      // Irregular spaces, because the signature covers the exact bytes.
      `{"id": "${name('WH')}",  "event_type":"${type}","create_time":"${new Date(nowMs()).toISOString()}","resource":${JSON.stringify(resource)}}`,
    );
  const tellSubscription = (type: string, subscription: Subscription) =>
    tell(`BILLING.SUBSCRIPTION.${type}`, shownOf(subscription));

  function receive(subscription: Subscription, money: Money): void {
    const { startedAtMs, plan } = subscription;
    const from = new Date(subscription.nextMs ?? startedAtMs);
    subscription.nextMs = periodEndAfter(new Date(startedAtMs), plan.term, from).getTime();
    const payment = { id: name('SALE'), money, refundedPence: 0 };
    subscription.payments.push(payment);
    const amount = { total: money.value, currency: money.currency_code };
    tell('PAYMENT.SALE.COMPLETED', {
      id: payment.id,
      amount,
      billing_agreement_id: subscription.id,
      state: 'completed',
    });
  }

  function makePlan(text: string): Answer {
    const { product_id: productId, name: title, billing_cycles: cycles } = JSON.parse(text);
    const [{ frequency, pricing_scheme: scheme }] = cycles;
    const term = frequency.interval_unit === 'YEAR' ? 'annual' : 'monthly';
    const plan: Plan = { id: name('P'), name: title, productId, value: scheme.fixed_price.value, term };
    if (!products.has(productId)) return refusal('RESOURCE_NOT_FOUND');
    plans.push(plan);
    return { status: 201, body: { id: plan.id } };
  }

  function listPlans({ query }: Call): Answer {
    const shown = plans.filter(({ productId }) => productId === query.get('product_id'));
    return { body: { plans: shown.map(({ id, name: title }) => ({ id, name: title, status: 'ACTIVE' })) } };
  }

  function subscribe(text: string): Answer {
    const { plan_id: planId, custom_id: checkoutId } = JSON.parse(text);
    const plan = plans.find(({ id }) => id === planId);
    if (!plan) return refusal('RESOURCE_NOT_FOUND');
    const state = { asked: null, status: 'APPROVAL_PENDING', payer: null, startedAtMs: nowMs(), nextMs: null };
    const subscription: Subscription = { id: name('I'), checkoutId, plan, ...state, payments: [] };
    subscriptions.set(subscription.id, subscription);
    return { status: 201, body: { ...shownOf(subscription), links: linksTo(subscription.id, 'approve') } };
  }

  const verbs: Record<string, { from: readonly string[]; to: string; event: string }> = {
    suspend: { from: ['ACTIVE'], to: 'SUSPENDED', event: 'SUSPENDED' },
    activate: { from: ['SUSPENDED'], to: 'ACTIVE', event: 'RE-ACTIVATED' },
    cancel: { from: ['ACTIVE', 'SUSPENDED'], to: 'CANCELLED', event: 'CANCELLED' },
  };

  function ofSubscription({ method, path, text }: Call): Answer {
    const [id = '', verb = ''] = path.split('/').slice(4);
    const subscription = subscriptions.get(id);
    if (!subscription) return { status: 404, body: { name: 'RESOURCE_NOT_FOUND' } };
    if (method === 'GET') return { body: shownOf(subscription) };
    if (verb === 'revise') return revise(subscription, text);
    const step = verbs[verb];
    if (!step?.from.includes(subscription.status)) return refusal('SUBSCRIPTION_STATUS_INVALID');
    subscription.status = step.to;
    tellSubscription(step.event, subscription);
    return { status: 204, body: null };
  }

  function revise(subscription: Subscription, text: string): Answer {
    const plan = plans.find(({ id }) => id === JSON.parse(text).plan_id);
    // Only between plans of one product.
    if (!plan || plan.productId !== subscription.plan.productId) return refusal('INVALID_PLAN');
    subscription.asked = plan;
    return { body: { plan_id: plan.id, links: linksTo(subscription.id, 'approve') } };
  }

  function openOrder(text: string): Answer {
    const [{ custom_id: checkoutId, amount }] = JSON.parse(text).purchase_units;
    const order = { id: name('O'), checkoutId, status: 'CREATED', asked: amount, isDeclined: false, payments: [] };
    orders.set(order.id, order);
    return { status: 201, body: { ...shownOrder(order), links: linksTo(order.id, 'payer-action') } };
  }

  function ofOrder({ method, path }: Call): Answer {
    const order = orders.get(path.split('/')[4] ?? '');
    if (!order) return { status: 404, body: { name: 'RESOURCE_NOT_FOUND' } };
    if (method === 'GET') return { body: shownOrder(order) };
    if (order.status !== 'APPROVED' || order.isDeclined) return refusal('UNPROCESSABLE_ENTITY');
    order.status = 'COMPLETED';
    order.payments.push({ id: name('CAP'), money: order.asked, refundedPence: 0 });
    for (const capture of capturesOf(order)) tell('PAYMENT.CAPTURE.COMPLETED', capture);
    return { status: 201, body: shownOrder(order) };
  }

  const service = await createStandIn((call) => {
    const { method, path, text } = call;
    if (path.startsWith('/approve/')) return { body: 'The page where somebody agrees at PayPal' };
    if (path === '/v1/oauth2/token') return { body: { access_token: 'token', expires_in: 32_400 } };
    if (path === '/v1/notifications/certs/CERT-1') return { body: pem };
    if (path === '/v1/notifications/certs/CERT-OF-SOMEBODY') return { status: 404, body: null };
    if (path === '/v1/catalogs/products') {
      const { id } = JSON.parse(text);
      if (products.has(id)) return refusal('DUPLICATE_RESOURCE_IDENTIFIER');
      products.add(id);
      return { status: 201, body: { id } };
    }
    if (path === '/v1/billing/plans') return method === 'GET' ? listPlans(call) : makePlan(text);
    if (path === '/v1/billing/subscriptions') return subscribe(text);
    if (path.startsWith('/v1/billing/subscriptions/')) return ofSubscription(call);
    if (path === '/v2/checkout/orders') return openOrder(text);
    return path.startsWith('/v2/checkout/orders/') ? ofOrder(call) : { status: 404, body: { name: 'NOT_FOUND' } };
  });
  const linksTo = (id: string, rel: string) => [{ rel, href: `${service.pagesUrl}/approve/${id}` }];

  const idOf = (url: string) => url.split('/').at(-1) ?? '';
  const subscriptionAt = (id: string) => {
    const found = subscriptions.get(id);
    if (!found) throw new Error(`The till knows no subscription ${id}.`);
    return found;
  };
  const newest = (id: string) => {
    const payment = (subscriptions.get(id) ?? orders.get(id))?.payments.at(-1);
    if (!payment) throw new Error(`Nothing was paid for ${id}.`);
    return payment;
  };

  return {
    name: 'paypal',
    calls: service.calls,
    url: service.url,
    secret: webhookId,
    sample(id) {
      const plan: Plan = { id: 'P-0', name: '', productId: '', value: '4.99', term: 'monthly' };
      const state = { asked: null, status: 'ACTIVE', payer: null, startedAtMs: 0, nextMs: null, payments: [] };
      tellSubscription('UPDATED', { id: `I-${id}`, checkoutId: id, plan, ...state });
      return told.pop() ?? '';
    },
    failNext: service.failNext,
    close: service.close,
    payments: () =>
      paymentsOf([createPayPalProvider({ clientId: 'ours', clientSecret: 'ours', webhookId, apiBase: service.url })]),
    setAheadMs(ms) {
      aheadMs = ms;
    },

    async pay(url, { amountPence, currency = 'GBP' } = {}) {
      const order = orders.get(idOf(url));
      const value = (asked: string) => (amountPence === undefined ? asked : (amountPence / 100).toFixed(2));
      if (order) {
        order.status = 'APPROVED';
        order.isDeclined = false;
        order.asked = { value: value(order.asked.value), currency_code: currency };
        tell('CHECKOUT.ORDER.APPROVED', shownOrder(order));
        return order.id;
      }
      const subscription = subscriptionAt(idOf(url));
      Object.assign(subscription, { status: 'ACTIVE', payer: name('PAYER'), startedAtMs: nowMs() });
      tellSubscription('ACTIVATED', subscription);
      receive(subscription, { value: value(subscription.plan.value), currency_code: currency });
      return subscription.id;
    },

    async decline(url) {
      const order = orders.get(idOf(url));
      if (!order) return tellSubscription('PAYMENT.FAILED', subscriptionAt(idOf(url)));
      Object.assign(order, { status: 'APPROVED', isDeclined: true });
      tell('CHECKOUT.ORDER.APPROVED', shownOrder(order));
    },

    renew(id, { amountPence, currency = 'GBP', customer } = {}) {
      const subscription = subscriptionAt(id);
      if (customer) subscription.payer = customer;
      const value = amountPence === undefined ? subscription.plan.value : (amountPence / 100).toFixed(2);
      receive(subscription, { value, currency_code: currency });
    },
    failRenewal: (id) => tellSubscription('PAYMENT.FAILED', subscriptionAt(id)),

    refund(id, amountPence) {
      const payment = newest(id);
      const { value, currency_code } = payment.money;
      payment.refundedPence += amountPence ?? Math.round(Number(value) * 100);
      const total = { value: (payment.refundedPence / 100).toFixed(2), currency_code };
      if (subscriptions.has(id)) {
        const amount = { total: `-${total.value}`, currency: currency_code };
        return tell('PAYMENT.SALE.REFUNDED', { sale_id: payment.id, amount, total_refunded_amount: total });
      }
      const links = [{ rel: 'up', href: `https://api.paypal.example/v2/payments/captures/${payment.id}` }];
      const breakdown = { seller_payable_breakdown: { total_refunded_amount: total } };
      tell('PAYMENT.CAPTURE.REFUNDED', { id: name('REFUND'), amount: total, links, ...breakdown });
    },
    dispute(id, outcome) {
      const code = outcome === 'lost' ? 'RESOLVED_BUYER_FAVOUR' : 'RESOLVED_SELLER_FAVOUR';
      tell(`CUSTOMER.DISPUTE.${outcome === 'open' ? 'CREATED' : 'RESOLVED'}`, {
        disputed_transactions: [{ seller_transaction_id: newest(id).id }],
        ...(outcome === 'open' ? {} : { dispute_outcome: { outcome_code: code } }),
      });
    },
    approve(url) {
      const subscription = subscriptionAt(idOf(url));
      if (!subscription.asked) throw new Error('No change is asked for.');
      subscription.plan = subscription.asked;
      tellSubscription('UPDATED', subscription);
    },

    take: () => told.splice(0),
    sign(body, forgery) {
      const ageMs = forgery === '301 seconds old' ? 301_000 : forgery === '301 seconds ahead' ? -305_000 : 0;
      const time = new Date(Date.now() - ageMs).toISOString();
      const id = name('transmission');
      const signed = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`);
      const key = forgery === 'other key' ? stranger.privateKey : privateKey;
      const headers = {
        'content-type': 'application/json',
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-cert-url': `${service.url}/v1/notifications/certs/CERT-1`,
        'paypal-transmission-id': id,
        'paypal-transmission-time': time,
        'paypal-transmission-sig': sign('RSA-SHA256', signed, key).toString('base64'),
      };
      if (forgery === 'unsigned') return { body, headers: { 'content-type': 'application/json' } };
      return { body: forgery === 'one byte changed' ? spoiled(body) : body, headers };
    },
  };
}

function refusal(name: string): Answer {
  return { status: 422, body: { name } };
}

function shownOf({ id, checkoutId, plan, status, payer, nextMs }: Subscription): object {
  const isCharged = status === 'ACTIVE' && nextMs !== null;
  return {
    id,
    status,
    plan_id: plan.id,
    custom_id: checkoutId,
    ...(payer ? { subscriber: { payer_id: payer } } : {}),
    billing_info: isCharged ? { next_billing_time: new Date(nextMs).toISOString() } : {},
  };
}

function capturesOf({ id, checkoutId, payments }: Order) {
  const related = { supplementary_data: { related_ids: { order_id: id } } };
  return payments.map((payment) => ({
    id: payment.id,
    status: 'COMPLETED',
    amount: payment.money,
    custom_id: checkoutId,
    ...related,
  }));
}

function shownOrder(order: Order) {
  const { id, status, checkoutId, asked: amount } = order;
  return {
    id,
    status,
    purchase_units: [{ custom_id: checkoutId, amount, payments: { captures: capturesOf(order) } }],
  };
}
