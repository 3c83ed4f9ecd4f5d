import { randomInt } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { applyLedger, eraseDueAccounts } from '#server/features/deletion/erasure.ts';
import { ledgerNameOf } from '#server/platform/ledger/deletion-ledger.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { checkouts, paymentEvents, payments } from '#server/schema/billing.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { newCanary } from '#tests/support/canaries.ts';
import { createEverkept, dayMs, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { googleVouchingFor } from '#tests/support/everkept-world.ts';
import { samples, sendForm } from '#tests/support/forms.ts';
import { createSandboxTill } from '#tests/support/tills/sandbox-till.ts';

/** Word in everything that the person writes. */
const canary = newCanary();
const phone = `07700 900${randomInt(100, 1000)}`;
const networkAddress = '203.0.113.77';
const email = `${canary}@people.example`;

const till = createSandboxTill();
let everkept: Everkept;
let owner: Owner;
let trustee: Owner;

beforeAll(async () => {
  everkept = await createEverkept({
    hasDailyTasks: true,
    google: googleVouchingFor(() => email),
    payments: (ground) => till.payments(ground),
  });
  trustee = await everkept.signUp({ firstName: 'Tess' });
  owner = await everkept.signUp({ email, firstName: `Sam ${canary}`, lastName: `Ashworth ${canary}` });
  await live();
});
afterAll(() => everkept.close());

/** Requests with the canary as browser, from a separate address. */
const headers = { 'user-agent': `Browser ${canary}`, 'x-forwarded-for': networkAddress };

async function send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  const answer = await owner.browser.send(method, path, { headers, ...(body === undefined ? {} : { body }) });
  expect([path, answer.statusCode < 400, answer.body]).toEqual([path, true, answer.body]);
  return answer;
}

async function live() {
  const { database, app } = everkept;
  await send('POST', '/api/login', { email, password: owner.password });
  await owner.browser.send('POST', '/api/login', {
    headers,
    body: { email, password: `wrong ${canary}` },
  });
  await everkept.signIn(owner);
  await database.db.update(users).set({ plan: 'premium' }).where(eq(users.id, owner.userId));
  await everkept.givePhone(owner, phone);
  await send('PUT', '/api/user-profile', { releaseMethod: 'inactivity', inactivityDays: 90 });
  await send('POST', '/api/checkin', {});
  await send('PUT', '/api/user/checklists/funeral', {
    customItems: [{ text: canary, isListed: true, changedAtMs: 1 }],
    completedItems: [],
    resetAtMs: 0,
  });
  await send('PUT', '/api/first-weeks', { will: canary });
  await everkept.write(owner, { title: `T ${canary}`, content: `C ${canary}`, recipientEmail: `to.${email}` });
  const file = { name: `${canary}.txt`, content: samples.txt };
  const cookie = owner.browser.cookie;
  const letter = { title: canary, content: canary, recipientEmail: `too.${email}`, status: 'draft' };
  const sealed = await sendForm({ app, cookie }, ['POST', '/api/messages/with-attachment'], { fields: letter, file });
  expect(sealed.statusCode).toBe(201);
  const fields = { name: canary, category: 'legal', description: canary };
  expect((await sendForm({ app, cookie }, ['POST', '/api/documents'], { fields, file })).statusCode).toBe(201);
  await everkept.befriend(owner, { name: `Tess ${canary}`, email: trustee.email });
  await everkept.befriend(owner, { name: `Ada ${canary}`, email: `ada.${email}` });
  const google = createBrowser(app);
  await google.send('GET', '/api/auth/google');
  await google.send('GET', '/api/auth/google/callback');
  await everkept.work();
  await google.send('POST', `/api/link-sign-in/${everkept.tokenFor(email, '/link-sign-in/')}`);
  await database.db.insert(payments).values({
    id: crypto.randomUUID(),
    userId: owner.userId,
    payerId: crypto.randomUUID(),
    provider: 'sandbox',
    providerPaymentId: 'payment-1',
    plan: 'premium',
    term: 'monthly',
    amountPence: 999,
    currency: 'GBP',
    status: 'paid',
    paidAt: new Date(),
    createdAt: new Date(),
  });
  await everkept.work();

  // A whole release, so that deliveries, reasons, links and letters are there too.
  await everkept.live(98);
  const link = everkept.tokenFor(`to.${email}`, '/message/');
  await createBrowser(app).send('POST', `/api/message-delivery/${link}/opened`);
  await send('POST', '/api/login', { email, password: owner.password });
  await send('POST', '/api/release/answer', { take: 'back' });
  await tellOfPayments();
}

/** Provider events about the person without a purchase: an unknown kind, an unknown customer, an unpaid checkout. */
async function tellOfPayments() {
  const about = { atMs: Date.now(), subscriptionId: null, customerId: null };
  const facts = [
    [],
    [{ ...about, kind: 'payment_failed', checkoutId: crypto.randomUUID() }],
    [{ ...about, kind: 'checkout_expired', checkoutId: await openCheckout(), reference: 'none' }],
  ];
  for (const told of facts) {
    const sample = JSON.parse(till.sample(crypto.randomUUID()));
    const { body: payload, headers } = till.sign(JSON.stringify({ ...sample, facts: told, customer: email }));
    const answer = await everkept.app.inject({ method: 'POST', url: '/api/webhooks/sandbox', headers, payload });
    expect(answer.statusCode).toBe(200);
  }
}

async function openCheckout(): Promise<string> {
  const wish = { plan: 'lifetime', billingCycle: 'monthly', finalPrice: 299 };
  await send('POST', '/api/subscriptions/create', wish);
  const [row] = await everkept.database.db.select().from(checkouts).where(eq(checkouts.userId, owner.userId));
  if (!row) throw new Error('No checkout was opened.');
  return row.id;
}

const placesOf = async (text: string) => {
  const rows = (await dumpRows(everkept.database)).filter((row) => row.includes(text));
  return [...new Set(rows.map((row) => row.split(':')[0]))];
};

const filesInStore = async () => {
  const keys: string[] = [];
  for await (const key of everkept.store.list()) keys.push(key);
  return keys;
};

async function requestAndForget() {
  const answer = await owner.browser.send('DELETE', '/api/delete-account', {
    headers,
    body: { password: owner.password },
  });
  expect(answer.statusCode).toBe(204);
}

/** True if the trustee's account lists an owner. */
async function isTrustee(): Promise<boolean> {
  await everkept.signIn(trustee);
  const { isTrustedContactAccount } = (await trustee.browser.send('GET', '/api/user')).json();
  return isTrustedContactAccount;
}

describe('after the 30 days', () => {
  test('the searched values exist before the erasure', async () => {
    expect(await placesOf(email)).toEqual(expect.arrayContaining(['public.users', 'public.trusted_contacts']));
    expect(await placesOf(networkAddress)).toContain('public.audit_logs');
    expect(await placesOf(`Browser ${canary}`)).toEqual(
      expect.arrayContaining(['public.audit_logs', 'public.checkins', 'public.sessions']),
    );
    expect(await placesOf(owner.userId)).toEqual(
      expect.arrayContaining([
        'public.vault_keys',
        'public.messages',
        'public.documents',
        'public.message_deliveries',
        'public.notifications',
        'public.sms_notifications',
        'public.release_requests',
        'public.user_identities',
        'public.user_checklists',
        'public.first_weeks',
        'public.payments',
      ]),
    );
    expect(await filesInStore()).toHaveLength(2);
  });

  test('a time in which the service was down is not counted: the account can still be restored', async () => {
    await requestAndForget();
    await everkept.jump(40);
    await everkept.work();
    expect(await everkept.database.db.select().from(users).where(eq(users.id, owner.userId))).toHaveLength(1);
    await everkept.signIn(owner);
    expect((await owner.browser.send('POST', '/api/user/restore')).statusCode).toBe(200);
    expect(await isTrustee()).toBe(true);
  });

  test('nothing of the person is left in any row or file, and the ledger has them', async () => {
    await requestAndForget();
    const before = await everkept.database.db.select().from(users);
    await everkept.live(31);

    expect(await placesOf(canary)).toEqual([]);
    expect(await placesOf(phone)).toEqual([]);
    expect(await placesOf(networkAddress)).toEqual([]);
    expect(await filesInStore()).toEqual([]);
    const keys = await everkept.database.db.select().from(vaultKeys).where(eq(vaultKeys.userId, owner.userId));
    expect(keys).toEqual([]);
    expect(await everkept.database.db.select().from(users)).toHaveLength(before.length - 1);
    expect(await everkept.ledger.names()).toEqual(new Set([ledgerNameOf(owner.userId)]));
  });

  test("the person's actions stay in the audit log under a random id, and the log verifies", async () => {
    expect(await placesOf(owner.userId)).toEqual(['public.audit_chains', 'public.audit_logs']);
    const { db } = everkept.database;
    const log = await db.select().from(auditLogs).where(eq(auditLogs.chain, owner.userId));
    expect(log.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['session.start', 'account.deletion_requested', 'account.erased']),
    );
    expect(log.filter((row) => row.userId ?? row.ipAddress ?? row.userAgent)).toEqual([]);
    expect(await verifyAudit(everkept.opened)).toMatchObject({ ok: true });
    await db.execute(sql`update audit_logs set action = 'session.end' where chain = ${owner.userId} and position = 2`);
    expect(await verifyAudit(everkept.opened)).toMatchObject({ ok: false, firstBroken: { position: 2 } });
  });

  test('payments stay without the payer, and former trustees have lost the role', async () => {
    const kept = await everkept.database.db.select().from(payments);
    expect(kept.map(({ userId, amountPence }) => [userId, amountPence])).toEqual([[null, 999]]);
    expect(await isTrustee()).toBe(false);
  });

  test('provider events without a purchase stay without their content', async () => {
    const told = await everkept.database.db.select().from(paymentEvents);
    expect(told.map(({ status }) => status).toSorted()).toEqual(['applied', 'ignored', 'refused']);
    expect(told.filter(({ body }) => body !== null)).toHaveLength(0);
  });

  test('their letters are gone, and their address is free for a new account', async () => {
    const link = everkept.tokenFor(`to.${email}`, '/message/');
    expect((await createBrowser(everkept.app).send('GET', `/api/message-delivery/${link}`)).statusCode).toBe(404);
    const next = await everkept.signUp({ email });
    expect(next.userId).not.toBe(owner.userId);
  });
});

describe('after a backup from before was restored', () => {
  test('accounts in the ledger are deleted again before the first request, and no others', async () => {
    const [back, here] = [await everkept.signUp(), await everkept.signUp()];
    await everkept.write(back);
    await everkept.ledger.append(back.userId, new Date());
    expect(await applyLedger(everkept.opened)).toBe(1);
    expect((await back.browser.send('GET', '/api/user')).statusCode).toBe(401);
    expect(await placesOf(back.email)).toEqual([]);
    expect((await here.browser.send('GET', '/api/user')).statusCode).toBe(200);
    expect(await applyLedger(everkept.opened)).toBe(0);
  });

  test('an erasure that was interrupted after its ledger entry is completed by the next start', async () => {
    const leaver = await everkept.signUp();
    const { db } = everkept.database;
    await leaver.browser.send('DELETE', '/api/delete-account');
    const longAgo = new Date(Date.now() - 400 * dayMs);
    const request = { deletionRequestedAt: longAgo, deletionRequestedHealthyMs: -400 * dayMs };
    await db.update(users).set(request).where(eq(users.id, leaver.userId));
    // The row can't be deleted, so the step after the ledger entry fails.
    await db.execute(sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`);
    await db.execute(sql`create trigger refuse before delete on users for each row execute function refuse()`);
    expect(await eraseDueAccounts(everkept.opened)).toBe(0);
    expect((await everkept.ledger.names()).has(ledgerNameOf(leaver.userId))).toBe(true);
    await db.execute(sql`drop trigger refuse on users`);

    expect(await applyLedger(everkept.opened)).toBe(1);
    expect(await placesOf(leaver.email)).toEqual([]);
  });
});
