import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { subscriptions } from '#server/schema/billing.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { billingOf, buy, checkoutToken, later, pay, planOf, subjectsTo, subscribe } from './billing.test-world.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

test('a plan begins when it is paid for, with a receipt, and not before', async () => {
  const owner = await everkept.signUp();
  const begun = await subscribe(owner.browser, { plan: 'essential' });
  expect(begun.statusCode).toBe(200);
  expect(await planOf(owner)).toBe('free');
  expect(await billingOf(owner)).toMatchObject({ status: 'none', isAwaitingPayment: true, providers: ['sandbox'] });

  const paid = await pay(everkept, checkoutToken(begun));
  expect(paid.json()).toMatchObject({ redirectTo: '/account?payment=returned' });
  expect(await planOf(owner)).toBe('essential');
  const billing = await billingOf(owner);
  expect(billing).toMatchObject({
    plan: 'essential',
    status: 'active',
    term: 'monthly',
    provider: 'sandbox',
    pricePence: 499,
    card: { brand: 'visa', last4: '4242' },
    isAwaitingPayment: false,
    can: { cancel: true, resume: false, change: true, changeCard: true },
    payments: [{ amountPence: 499, status: 'paid', plan: 'essential', number: expect.stringMatching(/^EK-\d{6}$/) }],
  });
  const days = (Date.parse(billing.nextPaymentAt ?? '') - Date.now()) / dayMs;
  expect(days).toBeGreaterThan(27);
  expect(days).toBeLessThan(32);

  await everkept.work();
  expect(subjectsTo(everkept, owner.email)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Receipt EK-\d{6} for Essential$/),
      'You are on the Essential plan',
    ]),
  );
  const receipt = await owner.browser.send('GET', `/api/billing/payments/${billing.payments[0]?.id}/receipt`);
  expect(receipt.statusCode).toBe(200);
  expect(receipt.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
});

test('a plan renews automatically, and ends with its period after a cancellation', async () => {
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'premium' });
  await later(everkept, owner, 32);
  expect((await billingOf(owner)).payments).toHaveLength(2);

  const cancelled = await owner.browser.send('POST', '/api/subscriptions/cancel');
  expect(cancelled.json<{ message: string }>().message).toMatch(/^Your plan is cancelled\. You have it until /);
  expect(await billingOf(owner)).toMatchObject({ plan: 'premium', cancelAtPeriodEnd: true, nextPaymentAt: null });
  expect((await owner.browser.send('POST', '/api/subscriptions/resume')).json()).toEqual({
    message: 'Your plan goes on.',
  });
  await owner.browser.send('POST', '/api/subscriptions/cancel');
  await later(everkept, owner, 31);
  expect(await billingOf(owner)).toMatchObject({ plan: 'free', status: 'cancelled', nextPaymentAt: null });
  expect((await billingOf(owner)).payments).toHaveLength(2);
  expect(subjectsTo(everkept, owner.email).filter(isOfAnEnd)).toEqual(['Your Premium plan has ended']);
});

const isOfAnEnd = (subject: string) => subject.endsWith('plan has ended');

test('a payment that fails gives seven days with mails on days 0, 3 and 6, then the plan lapses', async () => {
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'essential', card: 'stops' });
  await later(everkept, owner, await daysUntil(owner));
  expect(await billingOf(owner)).toMatchObject({ plan: 'essential', status: 'past_due' });
  const failed = () => subjectsTo(everkept, owner.email).filter((subject) => subject.includes('did not go through'));
  expect(failed()).toHaveLength(1);
  await later(everkept, owner, 3);
  expect(failed()).toHaveLength(2);
  await later(everkept, owner, 3);
  expect(failed()).toHaveLength(3);
  await later(everkept, owner, 2);
  expect(await billingOf(owner)).toMatchObject({ plan: 'free', status: 'lapsed' });
  expect(subjectsTo(everkept, owner.email)).toContain('Your Essential plan has ended');
  // By then the owner must know that content above the Free plan is not kept permanently.
  const toOwner = everkept.mailer.sent.filter(({ to }) => to.address === owner.email);
  const words = toOwner.map(({ text }) => text.replace(/\s+/g, ' ')).filter((text) => text.includes('Free plan'));
  expect(words).toHaveLength(4);
  for (const text of words) {
    expect(text).toContain('is kept for 6 months. We write to you 30 days before we delete any of it.');
    expect(text).not.toMatch(/nothing is deleted(?! or hidden now)/i);
  }
});

/** Whole days until the next payment, by the time of the service. */
async function daysUntil(owner: Owner): Promise<number> {
  const { nextPaymentAt } = await billingOf(owner);
  const { rows } = await everkept.database.db.execute<{ ms: string }>(
    sql`select extract(epoch from now()) * 1000 + clock_offset_ms as ms from service_health`,
  );
  return Math.ceil((Date.parse(nextPaymentAt ?? '') - Number(rows[0]?.ms)) / dayMs);
}

test('another card during the grace days pays the missing amount', async () => {
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'essential', card: 'stops' });
  await later(everkept, owner, await daysUntil(owner));
  expect((await billingOf(owner)).status).toBe('past_due');
  const begun = await owner.browser.send('POST', '/api/subscriptions/card');
  await pay(everkept, checkoutToken(begun));
  expect(await billingOf(owner)).toMatchObject({ status: 'active', card: { last4: '4242' }, graceUntil: null });
});

test('a plan can be changed up, down and to the year, and is then charged as such', async () => {
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'essential' });
  const change = (plan: string, billingCycle: string, finalPrice: number) =>
    owner.browser.send('POST', '/api/subscriptions/change', { body: { plan, billingCycle, finalPrice } });

  expect((await change('premium', 'monthly', 9.99)).statusCode).toBe(200);
  expect(await planOf(owner)).toBe('premium');
  expect((await change('premium', 'annual', 99.99)).statusCode).toBe(200);
  expect(await billingOf(owner)).toMatchObject({ term: 'annual', pricePence: 9999 });
  expect((await change('essential', 'annual', 1)).statusCode).toBe(409);
  expect((await change('essential', 'annual', 49.99)).statusCode).toBe(200);
  expect(await billingOf(owner)).toMatchObject({ plan: 'essential', term: 'annual', pricePence: 4999 });
  expect((await change('essential', 'annual', 49.99)).json()).toMatchObject({
    message: 'You are on Essential already.',
  });
});

test('Lifetime is bought once, never ends, and replaces a monthly plan', async () => {
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'essential' });
  await buy(everkept, owner.browser, { plan: 'lifetime' });
  expect(await billingOf(owner)).toMatchObject({ plan: 'lifetime', term: 'once', nextPaymentAt: null });
  await everkept.work();
  expect(subjectsTo(everkept, owner.email)).toContain('Your earlier Essential plan is cancelled');
  await later(everkept, owner, 70);
  const { payments, plan } = await billingOf(owner);
  expect(plan).toBe('lifetime');
  expect(payments.map(({ amountPence }) => amountPence)).toEqual([29_900, 499]);
  // The earlier plan has ended, and the owner loses nothing by that.
  expect(subjectsTo(everkept, owner.email).filter(isOfAnEnd)).toEqual([]);
  expect((await subscribe(owner.browser, { plan: 'premium' })).json()).toMatchObject({
    message: 'You have Lifetime already.',
  });
});

test('an owner who was given another plan gets no email about the end of the old one', async () => {
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'essential' });
  await owner.browser.send('POST', '/api/subscriptions/cancel');
  const given = { plan: 'premium', planGrantedAt: new Date() } as const;
  await everkept.database.db.update(users).set(given).where(eq(users.id, owner.userId));
  await later(everkept, owner, 32);
  expect(await planOf(owner)).toBe('premium');
  expect(subjectsTo(everkept, owner.email).filter(isOfAnEnd)).toEqual([]);
});

test("a visitor's purchase waits for an account with that verified address", async () => {
  const email = 'early.bird@people.example';
  await buy(everkept, createBrowser(everkept.app), { plan: 'premium', email });
  await everkept.work();
  expect(subjectsTo(everkept, email)).toContain('Your Premium plan is waiting for your account');

  const unverified = await everkept.signUp({ email, isVerified: false });
  await everkept.work();
  expect(await planOf(unverified)).toBe('free');
  await unverified.browser.send('GET', everkept.linkTo(email, '/api/verify-email'));
  expect(await planOf(unverified)).toBe('premium');
  expect((await billingOf(unverified)).payments).toHaveLength(1);
});

test("a visitor's purchase goes to the account that exists", async () => {
  const owner = await everkept.signUp();
  await buy(everkept, createBrowser(everkept.app), { plan: 'premium', email: owner.email.toUpperCase() });
  expect(await planOf(owner)).toBe('premium');
});

test('a declined card changes nothing, and an expired checkout cannot be paid', async () => {
  const owner = await everkept.signUp();
  const first = checkoutToken(await subscribe(owner.browser, { plan: 'essential' }));
  expect((await pay(everkept, first, 'declined')).json()).toMatchObject({
    message: 'The card was declined. Try another card.',
  });
  const second = checkoutToken(await subscribe(owner.browser, { plan: 'premium' }));
  expect((await pay(everkept, first)).statusCode).toBe(409);
  await everkept.jump(1);
  expect((await pay(everkept, second)).statusCode).toBe(409);
  expect(await planOf(owner)).toBe('free');
});

test('an owner who deletes the account is not charged again, and can keep the plan after a restore', async () => {
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'essential' });
  await owner.browser.send('DELETE', '/api/delete-account', { body: { password: owner.password } });
  await everkept.work();
  const { db } = everkept.database;
  const rows = await db.select().from(subscriptions).where(eq(subscriptions.userId, owner.userId));
  expect(rows).toMatchObject([{ status: 'active', cancelAtPeriodEnd: true }]);
  expect(subjectsTo(everkept, owner.email)).toContain('Your Essential plan is cancelled');

  await everkept.signIn(owner);
  const restored = await owner.browser.send('POST', '/api/user/restore', { body: {} });
  const { planNotice } = restored.json<{ planNotice: string }>();
  expect(planNotice).toMatch(/^Your Essential plan is cancelled, .* choose Keep my plan\.$/);
  await everkept.work();
  expect(everkept.mailer.sent.at(-1)?.text.replace(/\s+/g, ' ')).toContain(planNotice);
  expect(await billingOf(owner)).toMatchObject({ plan: 'essential', can: { resume: true } });
  expect((await owner.browser.send('POST', '/api/subscriptions/resume')).statusCode).toBe(200);
  await later(everkept, owner, 32);
  expect(await billingOf(owner)).toMatchObject({ plan: 'essential', cancelAtPeriodEnd: false });
});

test('an owner whose plan ended before a restore is notified of it', async () => {
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'essential' });
  await everkept.jump(25);
  await everkept.signIn(owner);
  await owner.browser.send('DELETE', '/api/delete-account', { body: { password: owner.password } });
  await everkept.work();
  await later(everkept, owner, 10);
  // Their letters are about to be deleted, so no email may promise that nothing is deleted.
  expect(subjectsTo(everkept, owner.email).filter(isOfAnEnd)).toEqual([]);
  const restored = await owner.browser.send('POST', '/api/user/restore', { body: {} });
  expect(restored.json()).toMatchObject({
    plan: 'free',
    planNotice: expect.stringMatching(/^Your Essential plan ended on .* nothing has been charged since\./),
  });
});

test('a worker leaves a payment alone that its own request processes', async () => {
  const { pool } = everkept.database;
  const owner = await everkept.signUp();
  await pool.query(`create table stored_payments (is_due boolean);
    create function note_payment() returns trigger language plpgsql as $$
    begin insert into stored_payments values (new.next_attempt_at <= new.received_at); return new; end $$;
    create trigger note_payment after insert on payment_events for each row execute function note_payment()`);
  try {
    await buy(everkept, owner.browser, { plan: 'essential' });
    expect((await pool.query('select is_due from stored_payments')).rows).toEqual([{ is_due: false }]);
    expect(await planOf(owner)).toBe('essential');
  } finally {
    await pool.query(
      'drop trigger note_payment on payment_events; drop function note_payment; drop table stored_payments',
    );
  }
});
