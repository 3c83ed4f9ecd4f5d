import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PaymentError, type PaymentProvider, WebhookRefused } from './payments.ts';
import { createPayPalProvider } from './paypal-provider.ts';

type Call = { method: string; path: string; body: string };

const calls: Call[] = [];
let answers: Record<string, { status?: number; body: unknown }>;
let server: Server;
let paypal: PaymentProvider;

const subscription = {
  id: 'I-1',
  status: 'ACTIVE',
  plan_id: 'P-1',
  custom_id: 'c1',
  subscriber: { payer_id: 'payer' },
  billing_info: { next_billing_time: '2027-01-15T10:00:00Z' },
};
const capture = { id: 'cap1', status: 'COMPLETED', amount: { value: '299.00', currency_code: 'GBP' }, custom_id: 'c1' };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const path = (request.url ?? '').split('?')[0] ?? '';
    calls.push({ method: request.method ?? '', path, body });
    const { status = 200, body: answer } = answers[`${request.method} ${path}`] ?? {
      status: 404,
      body: { name: 'NOT_FOUND' },
    };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(answer === null ? '' : JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  paypal = createPayPalProvider({ clientId: 'id', clientSecret: 'secret', webhookId: 'WH-1', apiBase });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
beforeEach(() => {
  calls.length = 0;
  const links = [
    { rel: 'approve', href: 'https://paypal.example/approve' },
    { rel: 'payer-action', href: 'https://paypal.example/pay' },
  ];
  answers = {
    'POST /v1/oauth2/token': { body: { access_token: 'token', expires_in: 3_600 } },
    'POST /v1/catalogs/products': { status: 422, body: { name: 'UNPROCESSABLE_ENTITY' } },
    'GET /v1/billing/plans': { body: { plans: [] } },
    'POST /v1/billing/plans': { status: 201, body: { id: 'P-1' } },
    'POST /v1/billing/subscriptions': { status: 201, body: { ...subscription, status: 'APPROVAL_PENDING', links } },
    'GET /v1/billing/subscriptions/I-1': { body: subscription },
    'POST /v1/billing/subscriptions/I-1/suspend': { status: 204, body: null },
    'POST /v2/checkout/orders': { status: 201, body: { id: 'O-1', status: 'CREATED', links } },
    'POST /v2/checkout/orders/O-1/capture': {
      status: 201,
      body: { id: 'O-1', status: 'COMPLETED', purchase_units: [{ payments: { captures: [capture] } }] },
    },
    'POST /v1/notifications/verify-webhook-signature': { body: { verification_status: 'SUCCESS' } },
  };
});

const asked = {
  plan: 'essential',
  title: 'Everkept Essential',
  term: 'monthly' as const,
  amountPence: 437,
  checkoutId: 'c1',
  email: 'sam@people.example',
  customerId: null,
  expiresAt: new Date(),
  returnUrl: 'http://localhost/account',
  leaveUrl: 'http://localhost/subscribe',
};
const bodyOf = (path: string) => calls.find((call) => call.method === 'POST' && call.path === path)?.body ?? '';
const event = (type: string, resource: object) =>
  Buffer.from(
    `{"id": "WH-E-1",  "event_type":"${type}","create_time":"2026-12-15T10:00:00Z","resource":${JSON.stringify(resource)}}`,
  );
const headers = (at = new Date()) => ({
  'paypal-auth-algo': 'SHA256withRSA',
  'paypal-cert-url': 'https://api.paypal.example/cert',
  'paypal-transmission-id': 'one',
  'paypal-transmission-sig': 'signed',
  'paypal-transmission-time': at.toISOString(),
});

test('a plan is a subscription at the price that was asked, to the penny', async () => {
  expect(await paypal.openCheckout(asked)).toEqual({
    url: 'https://paypal.example/approve',
    reference: 'I-1',
    priceId: 'P-1',
  });
  expect(bodyOf('/v1/billing/plans')).toContain('"value":"4.37"');
  expect(JSON.parse(bodyOf('/v1/billing/subscriptions'))).toMatchObject({ plan_id: 'P-1', custom_id: 'c1' });
});

test('what is bought once is an order, which is captured when it is approved', async () => {
  const opened = await paypal.openCheckout({ ...asked, term: 'once', amountPence: 29_900 });
  expect(opened).toEqual({ url: 'https://paypal.example/pay', reference: 'O-1', priceId: null });
  const facts = await paypal.interpret(event('CHECKOUT.ORDER.APPROVED', { id: 'O-1' }));
  expect(facts).toMatchObject([
    { kind: 'checkout_paid', checkoutId: 'c1', reference: 'O-1', amountPence: 29_900, currency: 'GBP' },
    { kind: 'payment_received', paymentId: 'cap1', isRegular: true },
  ]);
});

test('a payment of a subscription says which purchase it is of, and until when it is paid', async () => {
  const sale = { id: 'sale1', amount: { total: '4.37', currency: 'GBP' }, billing_agreement_id: 'I-1' };
  expect(await paypal.interpret(event('PAYMENT.SALE.COMPLETED', sale))).toMatchObject([
    { kind: 'checkout_paid', checkoutId: 'c1', reference: 'I-1', amountPence: 437, customerId: 'payer' },
    { kind: 'payment_received', paymentId: 'sale1', periodEndMs: Date.parse('2027-01-15T10:00:00Z') },
    { kind: 'snapshot', priceId: 'P-1', cancelAtPeriodEnd: false },
  ]);
});

test('cancelling suspends it, so that it can be taken back', async () => {
  answers['GET /v1/billing/subscriptions/I-1'] = { body: { ...subscription, status: 'SUSPENDED', billing_info: {} } };
  const held = {
    checkoutId: 'c1',
    subscriptionId: 'I-1',
    customerId: null,
    term: 'monthly' as const,
    amountPence: 437,
    periodEnd: null,
    cardLast4: null,
  };
  expect(await paypal.cancelAtPeriodEnd(held)).toMatchObject([{ cancelAtPeriodEnd: true, hasEnded: false }]);
});

test('refunds and disputes name the payment they are of', async () => {
  const refund = {
    amount: { value: '1.00', currency_code: 'GBP' },
    seller_payable_breakdown: { total_refunded_amount: { value: '3.00', currency_code: 'GBP' } },
    links: [{ rel: 'up', href: 'https://api.paypal.example/v2/payments/captures/cap1' }],
  };
  const dispute = { disputed_transactions: [{ seller_transaction_id: 'sale1' }] };
  const lost = { ...dispute, dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR' } };
  const facts = [
    await paypal.interpret(event('PAYMENT.CAPTURE.REFUNDED', refund)),
    await paypal.interpret(event('CUSTOMER.DISPUTE.CREATED', dispute)),
    await paypal.interpret(event('CUSTOMER.DISPUTE.RESOLVED', lost)),
    await paypal.interpret(event('SOMETHING.ELSE', {})),
  ].flat();
  expect(facts).toMatchObject([
    { kind: 'refunded', paymentId: 'cap1', refundedPence: 300 },
    { kind: 'disputed', paymentId: 'sale1', outcome: 'open' },
    { kind: 'disputed', paymentId: 'sale1', outcome: 'lost' },
  ]);
});

test('a webhook is handed back byte for byte to be verified, and what is not good is refused', async () => {
  const body = event('BILLING.SUBSCRIPTION.UPDATED', subscription);
  expect(await paypal.verify({ body, headers: headers() })).toMatchObject({ id: 'WH-E-1' });
  const sent = bodyOf('/v1/notifications/verify-webhook-signature');
  expect(sent).toContain(`"webhook_event":${body.toString('utf8')}`);
  expect(JSON.parse(sent)).toMatchObject({ webhook_id: 'WH-1', transmission_sig: 'signed' });

  const reasonOf = (webhook: Parameters<PaymentProvider['verify']>[0]) =>
    paypal.verify(webhook).catch((error: unknown) => (error instanceof WebhookRefused ? error.reason : error));
  expect(await reasonOf({ body, headers: {} })).toBe('unsigned');
  expect(await reasonOf({ body, headers: headers(new Date(Date.now() - 301_000)) })).toBe('old');
  expect(await reasonOf({ body: Buffer.from('{"id":'), headers: headers() })).toBe('unreadable');
  answers['POST /v1/notifications/verify-webhook-signature'] = { body: { verification_status: 'FAILURE' } };
  expect(await reasonOf({ body, headers: headers() })).toBe('signature');
});

test('a service that is down is no refusal', async () => {
  answers['GET /v1/billing/subscriptions/I-1'] = { status: 503, body: { name: 'SERVICE_UNAVAILABLE' } };
  const sale = { id: 'sale1', amount: { total: '4.37', currency: 'GBP' }, billing_agreement_id: 'I-1' };
  const failure = await paypal.interpret(event('PAYMENT.SALE.COMPLETED', sale)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PaymentError);
  expect(failure).toMatchObject({ failure: 'unavailable' });
  expect(calls.filter(({ path }) => path === '/v1/billing/subscriptions/I-1')).toHaveLength(3);
});
