import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Principal } from '#server/features/accounts/accounts.service.ts';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createMemoryQueue } from '#server/platform/queue/memory-queue.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { createServices, type Services } from '#server/services.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { releaseRow } from '#tests/support/request-rows.ts';
import { nowhere } from './vault.test-world.ts';

let database: TestDatabase;
let services: Services;
const mailer = createMemoryMailer();
const clock = createManualClock(new Date('2026-06-01T09:00:00.000Z'));
const key = randomBytes(32);
const masterKeys = { current: { version: 1, key }, find: () => key };

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  services = createServices({
    db,
    log: pino({ level: 'silent' }),
    clock,
    masterKeys,
    serviceKeys: await createServiceKeys(db, masterKeys),
    mailer,
    texter: createMemoryTexter(),
    queue: createMemoryQueue(),
    store: createMemoryStore(),
    scanner: noScanner,
    ledger: createMemoryLedger(),
    limits: createRateLimits({ db }),
    baseUrl: 'https://everkept.example',
    mailFrom: 'Everkept <hello@everkept.example>',
    adminEmail: null,
    answerDaysDefault: 7,
  });
});

afterAll(() => database.close());

const input = {
  title: 'For Priya',
  content: 'First words',
  recipientEmail: 'priya@example.net',
  category: 'personal',
  status: 'ready',
  visibleToTrustedContact: false,
} as const;

/** An owner whose one ready message is on its way, and nothing of it sent yet. */
async function releasing() {
  const { db } = database;
  const userId = randomUUID();
  const at = await clock.now();
  await db.insert(users).values({
    id: userId,
    email: `${userId}@example.org`,
    firstName: 'Sam',
    emailVerified: true,
    lastCheckinAt: at,
    nextStepAt: new Date(at.getTime() + 1e10),
  });
  const vaultKey = createVaults(masterKeys).create(userId);
  await db.insert(vaultKeys).values({ userId, ...vaultKey });
  const emailVerified = true;
  const session = { sessionId: randomUUID(), authenticatedAt: at, secondFactorAt: null };
  const principal: Principal = { userId, emailVerified, plan: 'free', vaultKey, ...session };
  const { id } = await services.messages.create({ principal, origin: nowhere }, input);

  const release = releaseRow({ userId, openedAt: at });
  await db.insert(releaseRequests).values(release);
  await db.transaction(async (tx) => {
    await services.accounts.lockOwner(tx, userId);
    const { whole: letters } = await services.messages.lettersToSend(tx, userId);
    await services.deliveries.createFor(tx, { userId, requestId: release.id, releaseNumber: 1, at, letters });
  });
  return { principal, id, call: { principal, origin: nowhere, id } };
}

async function deliveryStatus(messageId: string) {
  const rows = await database.db.select().from(messageDeliveries).where(eq(messageDeliveries.messageId, messageId));
  return rows.map(({ status }) => status);
}

test('a change ends the release, so the message that changes is on its way to nobody', async () => {
  const { principal, id, call } = await releasing();
  expect(await deliveryStatus(id)).toEqual(['pending']);
  const sentBefore = mailer.sent.length;

  await services.messages.update(call, { ...input, content: 'Better words' });
  expect(await deliveryStatus(id)).toEqual(['cancelled']);
  await services.notifications.dispatchDue();
  const since = mailer.sent.slice(sentBefore);
  expect(since.filter(({ to }) => to.address === input.recipientEmail)).toEqual([]);
  expect(await services.messages.list(principal)).toMatchObject([{ content: 'Better words', status: 'ready' }]);
});

test('deleting a message ends the release too', async () => {
  const { principal, id, call } = await releasing();
  const sentBefore = mailer.sent.length;
  await services.messages.remove(call);
  await services.notifications.dispatchDue();

  expect(await deliveryStatus(id)).toEqual([]);
  const since = mailer.sent.slice(sentBefore);
  expect(since.filter(({ to }) => to.address === input.recipientEmail)).toEqual([]);
  expect(await services.messages.list(principal)).toEqual([]);
});

const linkSent = () =>
  mailer.sent
    .filter(({ to }) => to.address === input.recipientEmail)
    .map(({ text }) => /\/message\/([\w-]+)/.exec(text)?.[1])
    .findLast((token) => token !== undefined) ?? '';

test('a letter that nobody has opened is its owner’s again once they say that they are back, and not before', async () => {
  const { principal, id, call } = await releasing();
  await services.notifications.dispatchDue();
  expect(await deliveryStatus(id)).toEqual(['accepted']);
  const early = services.messages.update(call, { ...input, content: 'Too early' });
  await expect(early).rejects.toMatchObject({ type: 'CONFLICT' });
  expect(await deliveryStatus(id)).toEqual(['accepted']);

  await services.releases.answer({ userId: principal.userId, origin: nowhere }, 'back');
  await services.messages.update(call, { ...input, content: 'In time' });
  expect(await deliveryStatus(id)).toEqual(['withdrawn']);
  expect(await services.messages.list(principal)).toMatchObject([{ content: 'In time', status: 'ready' }]);
  await expect(services.deliveries.read(linkSent())).rejects.toMatchObject({ type: 'NOT_FOUND' });
});

test('once somebody has opened the letter, the message cannot be changed', async () => {
  const { principal, call } = await releasing();
  await services.notifications.dispatchDue();
  await services.deliveries.recordOpening(linkSent());

  await expect(services.messages.update(call, { ...input, content: 'Too late' })).rejects.toMatchObject({
    type: 'CONFLICT',
  });
  expect(await services.messages.list(principal)).toMatchObject([{ content: 'First words', status: 'delivered' }]);
});

test('a change while the letter is being handed over is kept, and the link that went out opens nothing', async () => {
  const { principal, id, call } = await releasing();
  mailer.answer(async ({ to }) => {
    if (to.address === input.recipientEmail) await services.messages.update(call, { ...input, content: 'In between' });
    return { outcome: 'accepted' };
  });
  await services.notifications.dispatchDue();
  mailer.answer(null);

  expect(await services.messages.list(principal)).toMatchObject([{ id, content: 'In between', status: 'ready' }]);
  expect(await deliveryStatus(id)).toEqual(['withdrawn']);
  await expect(services.deliveries.read(linkSent())).rejects.toMatchObject({ type: 'NOT_FOUND' });
});
