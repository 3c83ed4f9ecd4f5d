import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Principal } from '#server/features/accounts/principal.ts';
import { queueReleasedLetters } from '#server/features/delivery/delivery.ts';
import { openEnvelope } from '#server/features/delivery/letter-page.ts';
import { readLetter } from '#server/features/delivery/read-letter.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { answerQuestion } from '#server/features/release/release-question.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { registerReactions } from '#server/reactions.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { releaseRow } from '#tests/support/request-rows.ts';
import { readLettersToSend } from './letters.ts';
import { listWholeMessages } from './list/whole-list.ts';
import { createMessage, deleteMessage, updateMessage } from './messages.ts';
import { nowhere } from './vault.test-world.ts';

let database: TestDatabase;
let app: App;
const mailer = createMemoryMailer();
const clock = createManualClock(new Date('2026-06-01T09:00:00.000Z'));

beforeAll(async () => {
  const opened = await openTestApp({
    environment: { BASE_URL: 'https://everkept.example', TRUST_PROXY: '127.0.0.1' },
    parts: { clock, mailer },
  });
  database = opened.database;
  app = opened.app;
  registerReactions(app);
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
  const vaultKey = app.vaults.create(userId);
  await db.insert(vaultKeys).values({ userId, ...vaultKey });
  const emailVerified = true;
  const session = { sessionId: randomUUID(), authenticatedAt: at, secondFactorAt: null };
  const principal: Principal = { userId, emailVerified, plan: 'free', vaultKey, ...session };
  const { id } = await createMessage(app, { principal, origin: nowhere, body: input });

  const release = releaseRow({ userId, openedAt: at });
  await db.insert(releaseRequests).values(release);
  await db.transaction(async (tx) => {
    await lockOwnerRow(tx, userId);
    const { whole: letters } = await readLettersToSend(app, tx, userId);
    await queueReleasedLetters(app, tx, { userId, requestId: release.id, releaseNumber: 1, at, letters });
  });
  return { principal, id, call: { principal, origin: nowhere, params: { id } } };
}

async function deliveryStatus(messageId: string) {
  const rows = await database.db.select().from(messageDeliveries).where(eq(messageDeliveries.messageId, messageId));
  return rows.map(({ status }) => status);
}

test('a change ends the release, so the message that changes is on its way to nobody', async () => {
  const { principal, id, call } = await releasing();
  expect(await deliveryStatus(id)).toEqual(['pending']);
  const sentBefore = mailer.sent.length;

  await updateMessage(app, { ...call, body: { ...input, content: 'Better words' } });
  expect(await deliveryStatus(id)).toEqual(['cancelled']);
  await dispatchDue(app);
  const since = mailer.sent.slice(sentBefore);
  expect(since.filter(({ to }) => to.address === input.recipientEmail)).toEqual([]);
  expect((await listWholeMessages(app, principal)).messages).toMatchObject([
    { content: 'Better words', status: 'ready' },
  ]);
});

test('deleting a message ends the release too', async () => {
  const { principal, id, call } = await releasing();
  const sentBefore = mailer.sent.length;
  await deleteMessage(app, { ...call, query: {} });
  await dispatchDue(app);

  expect(await deliveryStatus(id)).toEqual([]);
  const since = mailer.sent.slice(sentBefore);
  expect(since.filter(({ to }) => to.address === input.recipientEmail)).toEqual([]);
  expect((await listWholeMessages(app, principal)).messages).toEqual([]);
});

const linkSent = () =>
  mailer.sent
    .filter(({ to }) => to.address === input.recipientEmail)
    .map(({ text }) => /\/message\/([\w-]+)/.exec(text)?.[1])
    .findLast((token) => token !== undefined) ?? '';

test('a letter that nobody has opened is its owner’s again once they say that they are back, and not before', async () => {
  const { principal, id, call } = await releasing();
  await dispatchDue(app);
  expect(await deliveryStatus(id)).toEqual(['accepted']);
  const early = updateMessage(app, { ...call, body: { ...input, content: 'Too early' } });
  await expect(early).rejects.toMatchObject({ type: 'CONFLICT' });
  expect(await deliveryStatus(id)).toEqual(['accepted']);

  await answerQuestion(app, { principal, origin: nowhere }, 'back');
  await updateMessage(app, { ...call, body: { ...input, content: 'In time' } });
  expect(await deliveryStatus(id)).toEqual(['withdrawn']);
  expect((await listWholeMessages(app, principal)).messages).toMatchObject([{ content: 'In time', status: 'ready' }]);
  await expect(readLetter(app, linkSent())).rejects.toMatchObject({ type: 'NOT_FOUND' });
});

test('once somebody has opened the letter, the message cannot be changed', async () => {
  const { principal, call } = await releasing();
  await dispatchDue(app);
  await openEnvelope(app, linkSent());

  await expect(updateMessage(app, { ...call, body: { ...input, content: 'Too late' } })).rejects.toMatchObject({
    type: 'CONFLICT',
  });
  expect((await listWholeMessages(app, principal)).messages).toMatchObject([
    { content: 'First words', status: 'delivered' },
  ]);
});

test('a change while the letter is being handed over is kept, and the link that went out opens nothing', async () => {
  const { principal, id, call } = await releasing();
  mailer.answer(async ({ to }) => {
    if (to.address === input.recipientEmail)
      await updateMessage(app, { ...call, body: { ...input, content: 'In between' } });
    return { outcome: 'accepted' };
  });
  await dispatchDue(app);
  mailer.answer(null);

  expect((await listWholeMessages(app, principal)).messages).toMatchObject([
    { id, content: 'In between', status: 'ready' },
  ]);
  expect(await deliveryStatus(id)).toEqual(['withdrawn']);
  await expect(readLetter(app, linkSent())).rejects.toMatchObject({ type: 'NOT_FOUND' });
});
