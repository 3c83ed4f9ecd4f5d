import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { stripeApiVersion } from '#server/platform/payments/stripe-version.ts';
import { createPayPalTill } from '#tests/support/tills/paypal-till.ts';
import { createStripeTill } from '#tests/support/tills/stripe-till.ts';
import { bought, providerWorld } from './provider.test-world.ts';

type Event = Record<string, unknown>;

describe('an event of Stripe in a shape that we cannot read', () => {
  const here = providerWorld(() => createStripeTill());

  /** The events of a purchase and its renewal, by kind. */
  async function told(): Promise<Map<string, { body: string; object: Event }>> {
    const purchase = await bought(here, { plan: 'essential' });
    here.till().renew(purchase);
    here.till().failRenewal(purchase);
    here.till().refund(purchase, 100);
    here.till().dispute(purchase, 'open');
    return new Map(
      here
        .till()
        .take()
        .map((body) => {
          const { type, data } = JSON.parse(body) as { type: string; data: { object: Event } };
          return [type, { body, object: data.object }];
        }),
    );
  }

  const withObject = (body: string, object: unknown) =>
    JSON.stringify({ ...JSON.parse(body), id: `evt_${randomUUID()}`, data: { object } });
  const without = (object: Event, field: string): Event =>
    Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));

  test.each([
    ['invoice.paid', 'parent'],
    ['invoice.paid', 'amount_paid'],
    ['invoice.paid', 'lines'],
    ['invoice.payment_failed', 'parent'],
    ['customer.subscription.updated', 'items'],
    ['customer.subscription.updated', 'status'],
    ['charge.refunded', 'payment_intent'],
    ['charge.dispute.created', 'status'],
  ])('is answered 400 with the version to set: %s without %s', async (type, field) => {
    const { body, object } = (await told()).get(type) ?? { body: '', object: {} };
    const before = await here.eventCount();
    const strange = withObject(body, without(object, field));
    const answer = await here.post(strange);
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      400,
      `We cannot read the shape of this event ${type}. At Stripe, set the API version of the webhook endpoint to ${stripeApiVersion}, and send the failed events again.`,
    ]);
    await here.post(strange);
    expect(await here.unknownShapes()).toContainEqual({ type, body: null });
    expect((await here.eventCount()) - before).toBeLessThanOrEqual(1);
  });

  test('counts when the provider sends the same event again in a shape that we know', async () => {
    const purchase = await bought(here, { plan: 'essential' });
    here.till().renew(purchase);
    const [body = ''] = here
      .till()
      .take()
      .filter((each) => each.includes('"invoice.paid"'));
    const { data } = JSON.parse(body) as { data: { object: Event } };
    const strange = JSON.stringify({ ...JSON.parse(body), data: { object: without(data.object, 'parent') } });
    expect((await here.post(strange)).statusCode).toBe(400);
    expect((await here.billing()).payments).toHaveLength(1);
    await here.deliver([body]);
    expect((await here.billing()).payments).toHaveLength(2);
  });

  test('is refused without a note if its signature does not match', async () => {
    const { body, object } = (await told()).get('invoice.paid') ?? { body: '', object: {} };
    const before = await here.eventCount();
    const unread = withObject(body, without(object, 'parent')).replaceAll('invoice.paid', 'customer.updated');
    expect((await here.post(unread, 'other key')).statusCode).toBe(401);
    expect(await here.eventCount()).toBe(before);
  });

  test.each([
    ['an invoice of something else', 'invoice.paid', { parent: null }],
    ['an invoice of something else in the older shape', 'invoice.paid', { parent: undefined, subscription: null }],
    ['a kind of event that we do not use', 'payout.paid', {}],
  ])('%s is no such event', async (_, type, changes) => {
    const { body, object } = (await told()).get('invoice.paid') ?? { body: '', object: {} };
    const other = withObject(body, { ...object, ...changes }).replace('"invoice.paid"', `"${type}"`);
    expect((await here.post(other)).statusCode).toBe(200);
  });
});

describe('a signed webhook of PayPal with another content', () => {
  const here = providerWorld(createPayPalTill);

  test.each([
    ['no JSON', '{"id":'],
    ['no event', '{"hello":"there"}'],
    ['an event without a time', '{"id":"WH-1","event_type":"PAYMENT.SALE.COMPLETED","resource":{}}'],
    ['nothing but a number', '1'],
  ])('is answered 400 and changes nothing: %s', async (_, body) => {
    const before = await here.eventCount();
    const answer = await here.post(body);
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      400,
      'This webhook holds no event that we know.',
    ]);
    expect(await here.eventCount()).toBe(before);
  });

  test('is answered 400 with advice if its object cannot be read', async () => {
    const strange = { id: 'WH-2', event_type: 'PAYMENT.SALE.COMPLETED', create_time: new Date().toISOString() };
    const answer = await here.post(JSON.stringify({ ...strange, resource: { id: 7, amount: 'a lot' } }));
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ message: string }>().message).toContain('choose the events of docs/operations.md');
    expect(await here.unknownShapes()).toEqual([{ type: 'PAYMENT.SALE.COMPLETED', body: null }]);
  });
});
