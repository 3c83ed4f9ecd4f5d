import { afterAll, beforeAll, expect, test } from 'vitest';
import { buy } from '#server/features/billing/billing.test-world.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
});
afterAll(() => everkept.close());

const told = ({ email }: Owner) =>
  everkept.mailer.sent.filter(
    ({ to, subject }) => to.address === email && /^Confirm your email address by/.test(subject),
  );
const isThere = async ({ userId }: Owner) =>
  (await everkept.database.pool.query('select 1 from users where id = $1', [userId])).rows.length === 1;

test('an unverified account is notified on day 20 and deleted on day 30, and its address is free again', async () => {
  const squatted = await everkept.signUp({ isVerified: false });
  const late = await everkept.signUp({ isVerified: false });
  const verified = await everkept.signUp();
  await everkept.write(squatted);

  await everkept.live(19.5);
  expect(told(squatted)).toEqual([]);
  await everkept.live(1.5);
  expect([squatted, late, verified].map((owner) => told(owner).length)).toEqual([1, 1, 0]);
  expect(told(squatted)[0]?.text).not.toContain(squatted.firstName);

  await everkept.signIn(late);
  await late.browser.send('POST', '/api/resend-verification');
  await everkept.work();
  await late.browser.send('GET', everkept.linkTo(late.email, '/api/verify-email'));
  await everkept.live(8);
  expect(await isThere(squatted)).toBe(true);
  await everkept.live(3);
  expect(await Promise.all([squatted, late, verified].map(isThere))).toEqual([false, true, true]);
  expect((await everkept.ledger.names()).size).toBe(1);

  const { email, password, firstName, lastName } = squatted;
  const form = { email, password, confirmPassword: password, firstName, lastName };
  expect((await createBrowser(everkept.app).send('POST', '/api/register', { body: form })).statusCode).toBe(201);
});

test('an account that somebody pays for stays, although nobody verified its address yet', async () => {
  const payer = await everkept.signUp({ isVerified: false });
  await buy(everkept, createBrowser(everkept.app), { plan: 'premium', email: payer.email });
  await everkept.live(35);
  expect(told(payer)).toEqual([]);
  expect(await isThere(payer)).toBe(true);
});
