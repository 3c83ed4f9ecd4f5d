import { randomUUID } from 'node:crypto';
import { newToken } from '#server/platform/crypto/token.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { sessions, users, vaultKeys } from '#server/schema/accounts.tables.ts';
import type { Billing } from '#shared/contract/billing.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { PaidPlanName } from '#shared/rules/prices.ts';
import { catalogPrice, poundsOf } from '#shared/rules/prices.ts';
import { type Browser, createBrowser, newPerson } from '#tests/support/app.ts';
import type { Everkept, Owner } from '#tests/support/everkept.ts';

export type Wish = {
  plan: PaidPlanName;
  billingCycle?: 'monthly' | 'annual';
  voucherCode?: string | null;
  finalPrice?: unknown;
  email?: string;
  provider?: string;
};

/** Presses the button of the subscription page. The price is the catalogue's unless another is given. */
export function subscribe(browser: Browser, { billingCycle = 'monthly', ...wish }: Wish) {
  const finalPrice = poundsOf(catalogPrice(wish.plan, billingCycle).listPence);
  return browser.send('POST', '/api/subscriptions/create', { body: { finalPrice, billingCycle, ...wish } });
}

/** Token at the end of a checkout's address. */
export function checkoutToken(answer: { json<T>(): T }): string {
  return answer.json<{ paymentUrl: string }>().paymentUrl.split('/').at(-1) ?? '';
}

export function pay({ app }: Pick<Everkept, 'app'>, token: string, card = 'pays') {
  return createBrowser(app).send('POST', '/api/payments/process', { body: { checkout: token, card } });
}

/** Subscribes and pays, in the sandbox. */
export async function buy(everkept: Everkept, browser: Browser, wish: Wish & { card?: string }): Promise<void> {
  const { card = 'pays', ...rest } = wish;
  const answer = await subscribe(browser, rest);
  if (answer.statusCode !== 200) throw new Error(`Subscribing was answered ${answer.statusCode}: ${answer.body}`);
  const paid = await pay(everkept, checkoutToken(answer), card);
  if (paid.statusCode !== 200) throw new Error(`Paying was answered ${paid.statusCode}: ${paid.body}`);
}

export async function billingOf({ browser }: Pick<Owner, 'browser'>): Promise<Billing> {
  return (await browser.send('GET', '/api/billing')).json<Billing>();
}

export async function planOf({ browser }: Pick<Owner, 'browser'>): Promise<string> {
  return (await browser.send('GET', '/api/user')).json<{ plan: string }>().plan;
}

export function subjectsTo({ mailer }: Pick<Everkept, 'mailer'>, address: string): string[] {
  return mailer.sent.filter(({ to }) => to.address === address).map(({ subject }) => subject);
}

/** Moves the clock by this number of days, runs the worker, and signs the owner in again. */
export async function later(everkept: Everkept, owner: Owner, days: number): Promise<void> {
  await everkept.jump(days);
  await everkept.work();
  await everkept.signIn(owner);
}

const yearMs = 365 * dayMs;

/** An owner with a verified address, signed in at this time. Written by SQL, since passwords are slow by design. */
export async function ownerByRow(
  { app, database: { db }, masterKeys, hashToken }: Everkept,
  at = new Date(),
): Promise<Owner> {
  const userId = randomUUID();
  const person = newPerson({ email: `${userId}@rows.example` });
  const { email, firstName, lastName } = person;
  const nextStepAt = new Date(Date.now() + 2 * yearMs);
  await db.insert(users).values({ id: userId, email, firstName, lastName, emailVerified: true, nextStepAt });
  await db.insert(vaultKeys).values({ userId, ...createVaults(masterKeys).create(userId) });
  const token = newToken();
  const sess = { ipAddress: null, userAgent: null };
  await db.insert(sessions).values({ sid: hashToken(token), sess, userId, ...sessionTimes(at) });
  const browser = createBrowser(app);
  browser.cookie = `everkept=${token}`;
  return { ...person, userId, browser };
}

/** Restarts all sessions at this time, so that a moved clock ends none of them. */
export async function renewSessions({ database: { db } }: Everkept, at: Date): Promise<void> {
  await db.update(sessions).set(sessionTimes(at));
}

function sessionTimes(at: Date) {
  return { createdAt: at, lastSeenAt: at, authenticatedAt: at, expire: new Date(at.getTime() + dayMs) };
}
