import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownerByRow, planOf, subscribe } from '#server/features/billing/billing.test-world.ts';
import { ledgerNameOf } from '#server/platform/ledger/deletion-ledger.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { subscriptions } from '#server/schema/billing.tables.ts';
import { createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { createStripeTill, type StripeTill } from '#tests/support/tills/stripe-till.ts';

let till: StripeTill;
let everkept: Everkept;

beforeAll(async () => {
  till = await createStripeTill();
  everkept = await createEverkept({ payments: (ground) => till.payments(ground) });
});
afterAll(async () => {
  await everkept.close();
  await till.close();
});

/** Somebody who pays by the month, and whose deletion is due although nobody has told Stripe yet. */
async function leaver(): Promise<Owner> {
  const owner = await ownerByRow(everkept);
  const opened = await subscribe(owner.browser, { plan: 'essential' });
  await till.pay(opened.json<{ paymentUrl: string }>().paymentUrl);
  for (const body of till.take()) {
    const { body: payload, headers } = till.sign(body);
    const answer = await everkept.app.inject({ method: 'POST', url: '/api/webhooks/stripe', headers, payload });
    expect(answer.statusCode).toBe(200);
  }
  await everkept.services.billing.workDue();
  expect(await planOf(owner)).toBe('essential');
  expect((await owner.browser.send('DELETE', '/api/delete-account')).statusCode).toBe(204);
  const deletionRequestedAt = new Date(Date.now() - 40 * dayMs);
  const longAgo = { deletionRequestedAt, deletionRequestedHealthyMs: -40 * dayMs };
  await everkept.database.db.update(users).set(longAgo).where(eq(users.id, owner.userId));
  return owner;
}

const change = (owner: Owner, row: Partial<typeof subscriptions.$inferInsert>) =>
  everkept.database.db.update(subscriptions).set(row).where(eq(subscriptions.userId, owner.userId));
const isThere = async ({ userId }: Owner) =>
  (await everkept.database.db.$count(users, eq(users.id, userId))) === 1 &&
  !(await everkept.ledger.names()).has(ledgerNameOf(userId));
const endings = () => till.calls.filter((call) => call.startsWith('DELETE /v1/subscriptions/')).length;
const logged = (words: string, { userId }: Owner) =>
  everkept.log.some((line) => line.includes(words) && line.includes(userId));

test('an account stays while its provider could not be asked to charge no more, and goes once it was', async () => {
  const owner = await leaver();
  till.failNext(100);
  expect(await everkept.services.erasures.carryOutDue()).toBe(0);
  till.failNext(0);
  expect(await isThere(owner)).toBe(true);
  expect(logged('could not be erased', owner)).toBe(true);

  const before = endings();
  expect(await everkept.services.erasures.carryOutDue()).toBe(1);
  expect(await isThere(owner)).toBe(false);
  expect(endings()).toBe(before + 1);
});

test('what was bought for the address and never given to the account ends with its provider too', async () => {
  const owner = await leaver();
  await change(owner, { userId: null });
  const before = endings();
  expect(await everkept.services.erasures.carryOutDue()).toBe(1);
  expect(endings()).toBe(before + 1);
});

test('what is cancelled already asks nobody', async () => {
  const owner = await leaver();
  await everkept.services.billing.workDue();
  const before = endings();
  expect(await everkept.services.erasures.carryOutDue()).toBe(1);
  expect(await isThere(owner)).toBe(false);
  expect(endings()).toBe(before);
});

test('a provider that is not set up any more keeps its payers, and is named, until the operator has ended it there', async () => {
  const [other, owner] = [await leaver(), await leaver()];
  await change(owner, { provider: 'paypal' });
  expect(await everkept.services.erasures.carryOutDue()).toBe(1);
  expect([await isThere(owner), await isThere(other)]).toEqual([true, false]);
  expect(logged('stays until its provider charges no more', owner)).toBe(true);

  await change(owner, { status: 'cancelled', endedAt: new Date(), nextStepAt: null });
  expect(await everkept.services.erasures.carryOutDue()).toBe(1);
});
