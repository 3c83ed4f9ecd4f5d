import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { subscriptions } from '#server/schema/billing.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { deliveredGoesAt, monthsAfter } from '#shared/rules/retention-dates.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { createPayPalTill } from '#tests/support/tills/paypal-till.ts';
import { createSandboxTill } from '#tests/support/tills/sandbox-till.ts';
import { createStripeTill } from '#tests/support/tills/stripe-till.ts';
import type { Till } from '#tests/support/tills/till.ts';
import { billingOf, subjectsTo, subscribe, type Wish } from '../billing.test-world.ts';
import { providerSubscriptionOf } from '../subscription-rows.ts';

/** Silence of 90 days, and a week in which contacts could answer. */
const deliveredAfterDays = 98;
const hoursDown = 3;
const contactsSentence = 'paid plan ends with the period that is paid for. Nothing is charged after that.';

const openings: Record<string, () => Promise<Till>> = {
  stripe: () => createStripeTill(),
  paypal: createPayPalTill,
  sandbox: async () => createSandboxTill(),
};
/** Provider call that stops the plan. The sandbox is called within this process. */
const stopCall: Record<string, RegExp> = { stripe: /^POST \/v1\/subscriptions\//, paypal: /\/suspend$/, sandbox: /^$/ };

describe.each(Object.keys(openings))('the renewal of a plan through %s', (name) => {
  let till: Till;
  let everkept: Everkept;
  let aheadDays = 0;
  const owners: Record<'gone' | 'back' | 'kept' | 'crashed' | 'cancelled' | 'lifetime', Owner> = {} as never;

  beforeAll(async () => {
    till = await (openings[name] as () => Promise<Till>)();
    everkept = await createEverkept({ payments: (ground) => till.payments(ground) });
    for (const who of ['gone', 'back', 'kept', 'crashed', 'cancelled', 'lifetime'] as const) {
      owners[who] = await payer(
        who === 'lifetime' ? { plan: 'lifetime' } : { plan: 'essential', billingCycle: 'annual' },
      );
    }
    await owners.cancelled.browser.send('POST', '/api/subscriptions/cancel');
    await tell();
    // The provider accepted the call, and the process ended before the answer.
    const subscription = providerSubscriptionOf(await rowOf(owners.crashed));
    const provider = everkept.opened.payments.names.length > 0 ? till.payments(ground()).find(till.name) : undefined;
    if (name !== 'sandbox' && subscription) await provider?.cancelAtPeriodEnd(subscription);
    till.take();
    till.calls.length = 0;
    await live(deliveredAfterDays);
  });
  afterAll(async () => {
    await everkept.close();
    await till.close();
  });

  const ground = () => ({ baseUrl: 'http://localhost', derive: () => '', now: async () => new Date() });

  async function live(days: number): Promise<void> {
    await everkept.live(days);
    aheadDays += days;
    till.setAheadMs(aheadDays * dayMs);
  }

  /** Delivers all events of the provider. */
  async function tell(): Promise<void> {
    for (let left = till.take(); left.length > 0; left = till.take()) {
      for (const body of left) {
        const { body: payload, headers } = till.sign(body);
        await everkept.app.inject({ method: 'POST', url: `/api/webhooks/${till.name}`, headers, payload });
      }
      await everkept.work();
    }
  }

  async function payer(wish: Wish): Promise<Owner> {
    const owner = await everkept.signUp({ firstName: 'Pat' });
    await till.pay((await subscribe(owner.browser, wish)).json<{ paymentUrl: string }>().paymentUrl);
    await tell();
    await everkept.write(owner, { recipientEmail: `nell.${owner.email}` });
    await everkept.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
    return owner;
  }

  async function rowOf({ userId }: Owner) {
    const [row] = await everkept.database.db.select().from(subscriptions).where(eq(subscriptions.userId, userId));
    if (!row) throw new Error('This owner has bought nothing.');
    return row;
  }
  const stopsOf = (owner: Owner) =>
    subjectsTo(everkept, owner.email).filter((subject) => / renews? ?/.test(subject) || subject.includes('not renew'));
  const doneMail = (owner: Owner) =>
    everkept.mailer.sent
      .filter(({ to, subject }) => to.address === `ada.${owner.email}` && subject.endsWith('been delivered'))
      .map(({ text }) => text.replace(/\s+/g, ' '));

  test('ends with the period that is paid for once the letters have been delivered, and the payment stays', async () => {
    const { gone } = owners;
    expect(await rowOf(gone)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, releaseStop: 'stopped' });
    expect(stopsOf(gone)).toEqual(['Your Essential plan does not renew']);
    expect(doneMail(gone)).toEqual([expect.stringContaining(`Pat’s ${contactsSentence}`)]);
    const letter = everkept.tokenFor(`nell.${gone.email}`, '/message/');
    await createBrowser(everkept.app).send('POST', `/api/message-delivery/${letter}/opened`);
    await tell();
    await live(2);
    expect(stopsOf(gone)).toHaveLength(1);
    expect(till.calls.filter((call) => stopCall[name]?.test(call))).toHaveLength(name === 'sandbox' ? 0 : 3);
  });

  test('renews again once its owner says that they are back, and the owner is emailed', async () => {
    const { back } = owners;
    expect(await rowOf(back)).toMatchObject({ cancelAtPeriodEnd: true });
    await everkept.signIn(back);
    expect(await rowOf(back), 'a sign-in alone changes nothing').toMatchObject({ releaseStop: 'stopped' });
    expect((await back.browser.send('POST', '/api/release/answer', { body: { take: 'back' } })).statusCode).toBe(200);
    await everkept.work();
    await tell();
    expect(await rowOf(back)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false, releaseStop: null });
    expect(stopsOf(back)).toEqual(['Your Essential plan does not renew', 'Your Essential plan renews again']);
    expect(await billingOf(back)).toMatchObject({ plan: 'essential', isEndedByRelease: false, can: { cancel: true } });
    expect((await billingOf(back)).nextPaymentAt).not.toBeNull();
  });

  test('renews again once its owner chooses Keep my plan, and no return changes or reports it afterwards', async () => {
    const { kept } = owners;
    await everkept.signIn(kept);
    expect(await billingOf(kept)).toMatchObject({
      cancelAtPeriodEnd: true,
      isEndedByRelease: true,
      can: { resume: true },
    });
    expect((await kept.browser.send('POST', '/api/subscriptions/resume')).statusCode).toBe(200);
    await tell();
    expect(await rowOf(kept)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false, releaseStop: null });
    till.calls.length = 0;
    expect((await kept.browser.send('POST', '/api/release/answer', { body: { take: 'back' } })).statusCode).toBe(200);
    await everkept.work();
    await tell();
    expect(await rowOf(kept)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false, releaseStop: null });
    expect(stopsOf(kept)).toEqual(['Your Essential plan does not renew']);
    expect(till.calls.filter((call) => stopCall[name]?.test(call))).toEqual([]);
  });

  test.each(['cancelled', 'lifetime'] as const)(
    'that does not renew (%s) is left as it is, and no mail names it',
    async (who) => {
      expect(await rowOf(owners[who])).toMatchObject({ status: 'active', releaseStop: null });
      expect(stopsOf(owners[who])).toEqual([]);
      expect(doneMail(owners[who])).toEqual([expect.not.stringContaining(contactsSentence)]);
      await everkept.signIn(owners[who]);
      await owners[who].browser.send('POST', '/api/release/answer', { body: { take: 'back' } });
      await everkept.work();
      expect((await rowOf(owners[who])).cancelAtPeriodEnd, 'a return changes nothing').toBe(who === 'cancelled');
    },
  );

  // The practice checkout is a part of the service: none of its answers is lost, and it is never down alone.
  if (name !== 'sandbox') {
    test('is stopped once if the answer of the provider was lost', async () => {
      expect(await rowOf(owners.crashed)).toMatchObject({ cancelAtPeriodEnd: true, releaseStop: 'stopped' });
      expect(stopsOf(owners.crashed)).toHaveLength(1);
    });

    test('is stopped later if the provider is down, and is tried once an hour', async () => {
      const owner = await payer({ plan: 'premium', billingCycle: 'annual' });
      const settings = { releaseMethod: 'trusted_contact', inactivityDays: 90 };
      await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
      await live(91);
      till.failNext(100_000);
      till.calls.length = 0;
      const token = everkept.tokenFor(`ada.${owner.email}`, '/trusted-contact-admin/');
      const body = { confirmed: true, reason: 'I was at the funeral.' };
      const url = `/api/trusted-contact-admin/${token}/confirm-release`;
      expect((await createBrowser(everkept.app).send('POST', url, { body })).statusCode).toBe(200);
      await everkept.work();
      await live(hoursDown / 24);
      expect(await rowOf(owner)).toMatchObject({ cancelAtPeriodEnd: false, releaseStop: 'asked' });
      expect(stopsOf(owner), 'nothing is said before it is true').toEqual([]);
      // Each try is one question, with the two repeats of a client.
      const tries = till.calls.filter((call) => call.startsWith('GET ') || call.endsWith('/token')).length / 3;
      expect(tries).toBeGreaterThan(1);
      expect(tries).toBeLessThanOrEqual(hoursDown + 2);
      till.failNext(0);
      await live(0.1);
      expect(await rowOf(owner)).toMatchObject({ cancelAtPeriodEnd: true, releaseStop: 'stopped' });
      expect(stopsOf(owner)).toEqual(['Your Premium plan does not renew']);
    });
  }

  test('leaves the letters for as long as the plan promised when it was paid, and says why the plan ended', async () => {
    const { gone } = owners;
    await tell();
    await live(370 - aheadDays);
    await tell();
    expect(await rowOf(gone)).toMatchObject({ status: 'cancelled' });
    const ended = everkept.mailer.sent.filter(
      ({ to, subject }) => to.address === gone.email && subject.endsWith('plan has ended'),
    );
    expect(ended.map(({ text }) => text.replace(/\s+/g, ' '))).toEqual([
      expect.stringContaining('Your messages have been delivered, and your Essential plan has ended'),
    ]);
    const { db, pool } = everkept.database;
    const [letter] = await db.select().from(messages).where(eq(messages.userId, gone.userId));
    const { rows } = await pool.query('select plan, subscription_end from users where id = $1', [gone.userId]);
    const deliveredAt = letter?.deliveredAt as Date;
    const paying = { plan: rows[0].plan, subscriptionEnd: rows[0].subscription_end };
    expect(paying.plan).toBe('free');
    expect(deliveredGoesAt(deliveredAt, paying)).toEqual(monthsAfter(deliveredAt, 12));
  });
});
