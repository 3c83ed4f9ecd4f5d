import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownerByRow, planOf, subscribe } from '#server/features/billing/billing.test-world.ts';
import { processDueBilling } from '#server/features/billing/billing.ts';
import { eraseDueAccounts } from '#server/features/deletion/erasure.ts';
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

/** An owner with a monthly plan and a due deletion. Stripe does not know of it yet. */
async function leaver(): Promise<Owner> {
  const owner = await ownerByRow(everkept);
  const opened = await subscribe(owner.browser, { plan: 'essential' });
  await till.pay(opened.json<{ paymentUrl: string }>().paymentUrl);
  for (const body of till.take()) {
    const { body: payload, headers } = till.sign(body);
    const answer = await everkept.app.inject({ method: 'POST', url: '/api/webhooks/stripe', headers, payload });
    expect(answer.statusCode).toBe(200);
  }
  await processDueBilling(everkept.opened);
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

test('an account stays while its provider is unreachable for the cancellation, and is deleted afterwards', async () => {
  const owner = await leaver();
  till.failNext(100);
  expect(await eraseDueAccounts(everkept.opened)).toBe(0);
  till.failNext(0);
  expect(await isThere(owner)).toBe(true);
  expect(logged('could not be erased', owner)).toBe(true);

  const before = endings();
  expect(await eraseDueAccounts(everkept.opened)).toBe(1);
  expect(await isThere(owner)).toBe(false);
  expect(endings()).toBe(before + 1);
});

test('an unclaimed purchase for the address ends at its provider too', async () => {
  const owner = await leaver();
  await change(owner, { userId: null });
  const before = endings();
  expect(await eraseDueAccounts(everkept.opened)).toBe(1);
  expect(endings()).toBe(before + 1);
});

test('a cancelled plan causes no call to the provider', async () => {
  const owner = await leaver();
  await processDueBilling(everkept.opened);
  const before = endings();
  expect(await eraseDueAccounts(everkept.opened)).toBe(1);
  expect(await isThere(owner)).toBe(false);
  expect(endings()).toBe(before);
});

test("a removed provider keeps its payers' accounts, and is named, until the operator has ended the plan there", async () => {
  const [other, owner] = [await leaver(), await leaver()];
  await change(owner, { provider: 'paypal' });
  expect(await eraseDueAccounts(everkept.opened)).toBe(1);
  expect([await isThere(owner), await isThere(other)]).toEqual([true, false]);
  expect(logged('stays until its provider charges no more', owner)).toBe(true);

  await change(owner, { status: 'cancelled', endedAt: new Date(), nextStepAt: null });
  expect(await eraseDueAccounts(everkept.opened)).toBe(1);
});
