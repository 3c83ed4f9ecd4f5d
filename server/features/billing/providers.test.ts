import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createPayPalTill } from '#tests/support/tills/paypal-till.ts';
import { createSandboxTill } from '#tests/support/tills/sandbox-till.ts';
import { createStripeTill, stripesOtherCard } from '#tests/support/tills/stripe-till.ts';
import { forgeries, type Till, type Wrong } from '#tests/support/tills/till.ts';
import type { Wish } from './billing.test-world.ts';
import { bought, providerWorld } from './provider.test-world.ts';

const openings: Record<string, () => Promise<Till>> = {
  stripe: () => createStripeTill(),
  'stripe, events before 2025-03-31': () => createStripeTill('before 2025-03-31'),
  'stripe, events before 2023-06-29': () => createStripeTill('before 2023-06-29'),
  paypal: createPayPalTill,
  sandbox: async () => createSandboxTill(),
};
const sold: [words: string, wish: Wish, amountPence: number][] = [
  ['by the month', { plan: 'essential' }, 499],
  ['by the year', { plan: 'premium', billingCycle: 'annual' }, 9_999],
  ['for good', { plan: 'lifetime' }, 29_900],
];

describe.each(Object.keys(openings))('through %s', (name) => {
  const here = providerWorld(openings[name] as () => Promise<Till>);
  const { till, billing, plan, deliver, open } = here;

  test.each(sold)(
    'a plan bought %s begins with the signed word of its payment, and not with the return',
    async (...row) => {
      const [, wish, amountPence] = row;
      const purchase = await till().pay(await open(wish));
      await here.owner().browser.send('GET', '/account?payment=returned');
      expect(await plan()).toBe('free');
      await deliver();
      expect(purchase).not.toBe('');
      expect(await billing()).toMatchObject({
        plan: wish.plan,
        status: 'active',
        provider: till().name,
        isAwaitingPayment: false,
        payments: [{ amountPence, status: 'paid', plan: wish.plan }],
      });
    },
  );

  test.each([sold[0], sold[2]] as typeof sold)(
    'a card that is declined %s buys nothing, and another one does',
    async (...row) => {
      const [, wish] = row;
      const url = await open(wish);
      await till().decline(url);
      await deliver();
      expect(await billing()).toMatchObject({ plan: 'free', payments: [] });
      await till().pay(url);
      await deliver();
      expect(await billing()).toMatchObject({ plan: wish.plan, status: 'active' });
    },
  );

  test('webhooks that arrive late, twice and in reverse lead to the same result', async () => {
    const wish = { plan: 'essential' } as const;
    const purchase = await till().pay(await open(wish));
    till().refund(purchase, 100);
    const told = till().take();
    await here.pass(1);
    await deliver(told.toReversed());
    await deliver(told);
    await here.pass(1);
    expect(await billing()).toMatchObject({
      plan: 'essential',
      status: 'active',
      payments: [{ amountPence: 499, refundedPence: 100, status: 'partly_refunded' }],
    });
  });

  test('a cancelled plan runs to the end of its period, and renews again if the cancellation is undone', async () => {
    await bought(here, { plan: 'premium' });
    expect((await here.send('cancel')).statusCode).toBe(200);
    await deliver();
    expect(await billing()).toMatchObject({ plan: 'premium', cancelAtPeriodEnd: true, can: { resume: true } });
    expect((await here.send('resume')).statusCode).toBe(200);
    await deliver();
    expect(await billing()).toMatchObject({ plan: 'premium', cancelAtPeriodEnd: false, can: { cancel: true } });
    await here.send('cancel');
    await deliver();
    await here.pass(32);
    await deliver();
    expect(await billing()).toMatchObject({ plan: 'free', status: 'cancelled', payments: [{ status: 'paid' }] });
  });

  test('a renewal keeps the plan; one that is declined leaves it for seven days', async () => {
    const purchase = await bought(here, { plan: 'essential' });
    await here.pass(20);
    till().renew(purchase);
    await deliver();
    expect((await billing()).payments).toHaveLength(2);
    // Providers date events by the second. A payment and a failure never fall into one second.
    await here.pass(1);
    till().failRenewal(purchase);
    await deliver();
    expect(await billing()).toMatchObject({ plan: 'essential', status: 'past_due' });
    await here.pass(8);
    await deliver();
    expect(await billing()).toMatchObject({ plan: 'free', status: 'lapsed' });
  });

  test.each([sold[0], sold[2]] as typeof sold)(
    'refunds of a plan %s end it once they reach the whole price',
    async (...row) => {
      const [, wish, amountPence] = row;
      const purchase = await bought(here, wish);
      till().refund(purchase, 150);
      await deliver();
      const partly = { refundedPence: 150, status: 'partly_refunded' };
      expect(await billing()).toMatchObject({ plan: wish.plan, payments: [partly] });
      till().refund(purchase, amountPence - 150);
      await deliver();
      const whole = { refundedPence: amountPence, status: 'refunded' };
      expect(await billing()).toMatchObject({ plan: 'free', status: 'lapsed', payments: [whole] });
    },
  );

  test('a dispute marks the payment, and ends the plan only if it is lost', async () => {
    const purchase = await bought(here, { plan: 'essential' });
    const stages = [
      ['open', 'essential', 'disputed'],
      ['won', 'essential', 'paid'],
      ['lost', 'free', 'lost'],
    ] as const;
    for (const [outcome, left, status] of stages) {
      await here.pass(1);
      till().dispute(purchase, outcome);
      await deliver();
      expect(await billing()).toMatchObject({ plan: left, payments: [{ status }] });
    }
  });

  test.each<[string, Wrong]>([
    ['amount', { amountPence: 1 }],
    ['currency', { currency: 'USD' }],
  ])('another %s than was asked buys nothing, and is in the audit log', async (reason, wrong) => {
    for (const [, wish] of [sold[0], sold[2]] as typeof sold) await bought(here, wish, wrong);
    expect(await billing()).toMatchObject({ plan: 'free', payments: [] });
    expect(await here.refusals()).toEqual(
      expect.arrayContaining([expect.objectContaining({ reason, provider: till().name })]),
    );
  });

  test('a payment of another customer does not count, and is in the audit log', async () => {
    const purchase = await bought(here, { plan: 'essential' });
    await here.pass(20);
    till().renew(purchase, { customer: 'somebody-else' });
    await deliver();
    expect((await billing()).payments).toHaveLength(1);
    expect(await here.refusals()).toEqual(expect.arrayContaining([expect.objectContaining({ reason: 'customer' })]));
  });

  test('a webhook that is unsigned, forged, 301 seconds off or a byte off is 401, is not kept, and is in the log', async () => {
    await till().pay(await open({ plan: 'essential' }));
    const before = await here.eventCount();
    const told = till().take();
    for (const forgery of forgeries) {
      for (const body of told) expect([forgery, (await here.post(body, forgery)).statusCode]).toEqual([forgery, 401]);
    }
    expect(await here.eventCount()).toBe(before);
    await here.work();
    expect(await plan()).toBe('free');
    for (const reason of ['unsigned', 'signature', 'old']) expect(here.log()).toContain(`"refusal":"${reason}"`);
  });

  test('a webhook that is replayed a hundred times in parallel has one effect', async () => {
    await till().pay(await open({ plan: 'essential' }));
    const told = till().take();
    expect(await here.atOnce(Array.from({ length: 100 }, (_, index) => told[index % told.length] as string))).toEqual([
      200,
    ]);
    await deliver(told);
    expect((await billing()).payments).toHaveLength(1);
  });

  test('an event of an unknown customer is kept, waits, and is in the audit log', async () => {
    const purchase = await bought(here, { plan: 'essential' });
    till().renew(purchase);
    const unknown = randomUUID();
    const known = [purchase, ...(await here.checkoutIds())];
    const [told = ''] = till().take();
    const strange = known.reduce((body, each) => body.replaceAll(each, unknown), told);
    const before = await here.unknownCount();
    expect((await here.post(strange)).statusCode).toBe(200);
    await here.work();
    expect((await billing()).payments).toHaveLength(1);
    expect(await here.unknownCount()).toBe(before + 1);
  });

  test('a plan changes up and between month and year on the word of the provider alone', async () => {
    const purchase = await bought(here, { plan: 'essential' });
    const steps = [
      { plan: 'premium', billingCycle: 'monthly', finalPrice: 9.99 },
      { plan: 'premium', billingCycle: 'annual', finalPrice: 99.99 },
      { plan: 'essential', billingCycle: 'annual', finalPrice: 49.99 },
    ] as const;
    for (const wish of steps) {
      const before = await billing();
      const answer = await here.send('change', wish);
      expect(answer.statusCode).toBe(200);
      // The sandbox sends its event during the call.
      if (name !== 'sandbox') expect(await billing()).toMatchObject({ plan: before.plan, term: before.term });
      const { paymentUrl } = answer.json<{ paymentUrl?: string }>();
      if (paymentUrl) {
        till().approve(paymentUrl);
        await deliver();
        // PayPal asks the new price with the next payment, and not before.
        const { plan: agreed, billingCycle, finalPrice: pounds } = wish;
        expect(await billing()).toMatchObject({
          plan: before.plan,
          term: before.term,
          nextChange: { plan: agreed, term: billingCycle, pricePence: Math.round(pounds * 100) },
          isAwaitingPayment: false,
        });
        till().renew(purchase);
      }
      await deliver();
      const { plan: name_, billingCycle: term, finalPrice } = wish;
      expect(await billing()).toMatchObject({
        plan: name_,
        term,
        pricePence: Math.round(finalPrice * 100),
        nextChange: null,
      });
      expect(await plan()).toBe(name_);
    }
  });
});

describe('Stripe', () => {
  const here = providerWorld(createStripeTill);

  test("another card is entered in the billing portal, and shows after Stripe's event", async () => {
    await bought(here, { plan: 'essential' });
    const { paymentUrl } = (await here.send('card')).json<{ paymentUrl: string }>();
    expect(paymentUrl).toMatch(/^https:\/\/billing\.stripe\.example\//);
    expect((await here.billing()).card).toMatchObject({ last4: '4242' });
    (here.till() as Awaited<ReturnType<typeof createStripeTill>>).changeCard(paymentUrl);
    await here.deliver();
    expect((await here.billing()).card).toEqual(stripesOtherCard);
  });

  test('a call that fails is repeated, and the checkout is opened once', async () => {
    here.till().failNext(1);
    await bought(here, { plan: 'premium' });
    expect(await here.plan()).toBe('premium');
  });

  test('the sandbox is not there', async () => {
    const { browser } = here.owner();
    for (const body of [{ checkout: 'A'.repeat(43), card: 'pays' }, { card: 'steals' }, {}, 'no JSON', undefined]) {
      expect((await browser.send('POST', '/api/payments/process', { body })).statusCode).toBe(404);
    }
    expect((await browser.send('GET', `/api/payments/sandbox/${'A'.repeat(43)}`)).statusCode).toBe(404);
    expect((await browser.send('POST', '/api/webhooks/sandbox', { body: {} })).statusCode).toBe(404);
  });
});
