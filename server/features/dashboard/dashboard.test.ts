import { randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordAudit } from '#server/features/audit/record.ts';
import { createVaultWorld, nowhere, type VaultWorld } from '#server/features/messages/vault.test-world.ts';
import { getPlanLimits } from '#server/features/plan-limits/plan-limits.ts';
import type { Principal } from '#server/http/principal.ts';
import { checkins } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { getDashboardStats } from './dashboard.ts';

let world: VaultWorld;

beforeAll(async () => {
  world = await createVaultWorld();
});

afterAll(() => world.close());

const stats = (principal: Principal) => getDashboardStats(world.app, { principal, origin: nowhere });
const limits = (principal: Principal) => getPlanLimits(world.app, { principal, origin: nowhere });

/** Rows as the other features store them. Sealed values do not matter here. */
async function fill(userId: string): Promise<void> {
  const words = { title: 'x', content: 'x' };
  const message = (change: Partial<typeof messages.$inferInsert>) => ({
    id: randomUUID(),
    userId,
    ...words,
    ...change,
  });
  await world.db
    .insert(messages)
    .values([
      message({ status: 'draft' }),
      message({ status: 'ready', attachmentSize: 1_500_000 }),
      message({ status: 'delivered', attachmentSize: 200_000 }),
    ]);
  const paths = [randomUUID(), randomUUID()];
  await world.db.insert(fileObjects).values(paths.map((path) => ({ path, createdAt: new Date(0) })));
  const document = { userId, name: 'x', fileName: 'x', category: 'legal', mimeType: 'text/plain' } as const;
  await world.db
    .insert(documents)
    .values(paths.map((filePath) => ({ id: randomUUID(), ...document, filePath, fileSize: 1_000_000 })));
  const contact = (email: string, isActive: boolean) => ({ id: randomUUID(), userId, name: 'x', email, isActive });
  await world.db
    .insert(trustedContacts)
    .values([contact('a@example.org', true), contact('b@example.org', true), contact('c@example.org', false)]);
}

async function newFilledOwner(plan: 'free' | 'essential'): Promise<Principal> {
  const owner = await world.newOwner({ plan });
  await fill(owner.userId);
  return owner;
}

test('a new vault is empty', async () => {
  const owner = await world.newOwner();
  expect(await stats(owner)).toEqual({
    currentPlan: 'free',
    activeMessages: 0,
    storageUsedMB: 0,
    trustedContacts: 0,
    lastCheckinDays: 0,
    lastCheckinAt: await world.clock.now(),
    hasRehearsed: false,
    hasSavedCopy: false,
    heardOn: [],
  });
  expect(await limits(owner)).toEqual({
    messages: { current: 0, limit: 2, canCreate: true },
    storage: { current: 0, currentBytes: 0, limit: 1, canUpload: true },
  });
});

test('figures are the owner’s own: undelivered messages, active contacts, documents and attachments', async () => {
  const owner = await newFilledOwner('essential');
  await newFilledOwner('free');
  const lastCheckinAt = await world.clock.now();
  world.clock.advance(3 * dayMs + 1);

  expect(await stats(owner)).toEqual({
    currentPlan: 'essential',
    activeMessages: 2,
    storageUsedMB: 3.7,
    trustedContacts: 2,
    lastCheckinDays: 3,
    lastCheckinAt,
    hasRehearsed: false,
    hasSavedCopy: false,
    heardOn: [],
  });
  expect(await limits(owner)).toEqual({
    messages: { current: 2, limit: 10, canCreate: true },
    storage: { current: 3.7, currentBytes: 3_700_000, limit: 500, canUpload: true },
  });
});

test('a rehearsal and a saved copy count once they are in the log, and only their owner’s', async () => {
  const [owner, other] = [await world.newOwner(), await world.newOwner()];
  const audit = { userId: owner.userId, resource: 'release', at: await world.clock.now() };
  await world.db.transaction(async (tx) => {
    await recordAudit(world.app, tx, { ...audit, action: 'release.rehearsed' });
    await recordAudit(world.app, tx, { ...audit, action: 'export.create' });
  });
  const of = async (principal: Principal) => {
    const { hasRehearsed, hasSavedCopy } = await stats(principal);
    return { hasRehearsed, hasSavedCopy };
  };
  expect(await of(owner)).toEqual({ hasRehearsed: true, hasSavedCopy: true });
  expect(await of(other)).toEqual({ hasRehearsed: false, hasSavedCopy: false });
});

test("the days of the owner's check-ins are listed once each, oldest first, for half a year", async () => {
  const owner = await world.newOwner();
  const nowMs = (await world.clock.now()).getTime();
  const daysBefore = [184, 40, 40, 3];
  await world.db.insert(checkins).values(
    daysBefore.map((days) => ({
      userId: owner.userId,
      type: 'manual' as const,
      createdAt: new Date(nowMs - days * dayMs),
    })),
  );
  const { heardOn } = await stats(owner);
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' });
  expect(heardOn).toEqual([40, 3].map((days) => day.format(nowMs - days * dayMs)));
});

test('over the limit nothing is hidden, and nothing more is offered', async () => {
  const owner = await newFilledOwner('free');
  expect(await limits(owner)).toEqual({
    messages: { current: 2, limit: 2, canCreate: false },
    storage: { current: 3.7, currentBytes: 3_700_000, limit: 1, canUpload: false },
  });
});

test('each answer is one statement', async () => {
  const owner = await newFilledOwner('free');
  const statements: string[] = [];
  const db = drizzle({ client: world.pool, logger: { logQuery: (query) => statements.push(query) } });
  const watched = { ...world.app, db };
  await getDashboardStats(watched, { principal: owner, origin: nowhere });
  await getPlanLimits(watched, { principal: owner, origin: nowhere });
  expect(statements).toHaveLength(2);
});

test('an account that is gone has no figures', async () => {
  const owner = { ...(await world.newOwner()), userId: randomUUID() };
  await expect(stats(owner)).rejects.toMatchObject({ type: 'NOT_FOUND' });
  await expect(limits(owner)).rejects.toMatchObject({ type: 'NOT_FOUND' });
});
