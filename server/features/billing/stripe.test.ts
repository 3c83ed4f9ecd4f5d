import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { paymentsOf } from '#server/platform/payments/payments.ts';
import { createStripeProvider } from '#server/platform/payments/stripe-provider.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { createStripeServer, type StripeServer, stripeCard, subscriptionOf } from '#tests/support/stripe-server.ts';
import { billingOf, planOf, subscribe } from './billing.test-world.ts';

let stripe: StripeServer;
let everkept: Everkept;
let owner: Owner;
let checkoutId: string;
let events = 0;

beforeAll(async () => {
  stripe = await createStripeServer();
  const { apiBase, webhookSecret } = stripe;
  const provider = createStripeProvider({ secretKey: 'sk_test_ours', webhookSecret, apiBase, maxNetworkRetries: 2 });
  everkept = await createEverkept({ payments: paymentsOf([provider]) });
});
afterAll(async () => {
  await everkept.close();
  await stripe.close();
});
beforeEach(async () => {
  owner = await everkept.signUp();
  const begun = await subscribe(owner.browser, { plan: 'essential' });
  checkoutId = begun.json<{ paymentUrl: string }>().paymentUrl.split('cs_').at(-1) ?? '';
});

function event(type: string, object: object): string {
  events += 1;
  return JSON.stringify({
    id: `evt_${events}`,
    object: 'event',
    type,
    created: 1_800_000_000 + events,
    data: { object },
  });
}

const paid = (given: object = {}) =>
  event('checkout.session.completed', {
    id: `cs_${checkoutId}`,
    client_reference_id: checkoutId,
    mode: 'subscription',
    payment_status: 'paid',
    amount_total: 499,
    currency: 'gbp',
    customer: 'cus_1',
    subscription: `sub_${checkoutId}`,
    payment_intent: null,
    ...given,
  });

const invoice = (type: string, name = checkoutId) =>
  event(type, {
    id: `in_${name}`,
    billing_reason: 'subscription_create',
    amount_paid: 499,
    total: 499,
    currency: 'gbp',
    customer: 'cus_1',
    lines: { data: [{ period: { end: Math.floor(Date.now() / 1_000) + 30 * 86_400 } }] },
    parent: { subscription_details: { subscription: `sub_${checkoutId}`, metadata: { checkout_id: checkoutId } } },
  });

function tell(body: string, headers = stripe.headersFor(body)) {
  return everkept.app.inject({ method: 'POST', url: '/api/webhooks/stripe', headers, payload: body });
}

const lines = () => everkept.log.join('\n');

test('a plan begins with the signed word that it is paid, with card and payment, and not with the return', async () => {
  await owner.browser.send('GET', '/account?payment=returned');
  expect(await planOf(owner)).toBe('free');
  for (const body of [
    event('customer.subscription.created', subscriptionOf({ id: `sub_${checkoutId}`, checkoutId })),
    invoice('invoice.paid'),
    paid(),
  ]) {
    expect((await tell(body)).statusCode).toBe(200);
  }
  await everkept.work();
  expect(await billingOf(owner)).toMatchObject({
    plan: 'essential',
    status: 'active',
    provider: 'stripe',
    card: stripeCard,
    payments: [{ amountPence: 499, status: 'paid' }],
  });
});

test('a call that fails is repeated, and the checkout is asked for once', async () => {
  const before = stripe.calls.length;
  stripe.failNext(1);
  const answer = await subscribe((await everkept.signUp()).browser, { plan: 'premium' });
  expect(answer.statusCode).toBe(200);
  const opened = stripe.calls.slice(before).filter(({ path }) => path === '/v1/checkout/sessions');
  expect(new Set(opened.map(({ fields }) => fields.client_reference_id)).size).toBe(1);
});

describe('a webhook', () => {
  test('without a signature, by another key, 301 seconds old or changed by a byte is 401, has no effect and is logged', async () => {
    const body = paid();
    const answers = [
      await tell(body, { 'content-type': 'application/json' }),
      await tell(body, stripe.headersFor(body, { secret: 'whsec_of_somebody_else' })),
      await tell(body, stripe.headersFor(body, { ageSeconds: 301 })),
      await tell(body, stripe.headersFor(body, { ageSeconds: -400 })),
      await tell(body.replace('499', '500'), stripe.headersFor(body)),
      await tell(JSON.stringify(JSON.parse(body), null, 1), stripe.headersFor(body)),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401, 401, 401]);
    await everkept.work();
    expect(await planOf(owner)).toBe('free');
    for (const reason of ['unsigned', 'signature', 'old']) expect(lines()).toContain(`"refusal":"${reason}"`);
  });

  test('that comes a hundred times at once has one effect', async () => {
    const bodies = [paid(), invoice('invoice.paid')];
    const answers = await Promise.all(Array.from({ length: 100 }, () => bodies.map((body) => tell(body))).flat());
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    await everkept.work();
    await everkept.work();
    expect((await billingOf(owner)).payments).toHaveLength(1);
  });

  test.each([
    ['another amount', { amount_total: 1 }],
    ['another currency', { currency: 'usd' }],
    ['another checkout', { id: 'cs_of_somebody' }],
    ['no payment yet', { payment_status: 'unpaid' }],
    ['an unknown purchase', { client_reference_id: 'nobody', subscription: 'sub_unknown' }],
  ])('about %s is taken and changes nothing', async (_, given) => {
    expect((await tell(paid(given))).statusCode).toBe(200);
    await everkept.work();
    expect(await planOf(owner)).toBe('free');
  });

  test('about a payment of another customer does not count', async () => {
    await tell(paid());
    await tell(invoice('invoice.paid', 'other').replace('cus_1', 'cus_2'));
    await everkept.work();
    expect(await billingOf(owner)).toMatchObject({ plan: 'essential', payments: [] });
  });
});

test('a refund of the whole payment ends the plan, in whatever order it is told', async () => {
  const charge = {
    id: 'ch_1',
    payment_intent: `pi_in_${checkoutId}`,
    amount_refunded: 499,
    customer: 'cus_1',
    metadata: {},
  };
  const told = [paid(), invoice('invoice.paid'), event('charge.refunded', charge)];
  for (const body of told.toReversed()) await tell(body);
  await everkept.work();
  await everkept.jump(1);
  await everkept.work();
  await everkept.signIn(owner);
  expect(await billingOf(owner)).toMatchObject({ plan: 'free', status: 'lapsed', payments: [{ status: 'refunded' }] });
});

test('cancelling at the end of the period is asked of Stripe and shows at once', async () => {
  for (const body of [paid(), invoice('invoice.paid')]) await tell(body);
  await everkept.work();
  expect((await owner.browser.send('POST', '/api/subscriptions/cancel')).statusCode).toBe(200);
  expect(stripe.calls.at(-1)).toMatchObject({
    path: `/v1/subscriptions/sub_${checkoutId}`,
    fields: { cancel_at_period_end: 'true' },
  });
  expect((await billingOf(owner)).can).toMatchObject({ cancel: false, resume: true });
});

test('the sandbox is not there where a real provider is', async () => {
  const { browser } = owner;
  const body = { checkout: 'A'.repeat(43), card: 'pays' };
  expect((await browser.send('POST', '/api/payments/process', { body })).statusCode).toBe(404);
  expect((await browser.send('GET', `/api/payments/sandbox/${'A'.repeat(43)}`)).statusCode).toBe(404);
  expect((await browser.send('POST', '/api/webhooks/sandbox', { body: {} })).statusCode).toBe(404);
});
