import { randomUUID } from 'node:crypto';
import { asc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { activityReactionsOf } from '#server/features/accounts/activity.ts';
import type { Principal } from '#server/features/accounts/principal.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { checkins, users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { messages as table } from '#server/schema/messages.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { refusal } from '#tests/support/refusal.ts';
import { listWholeMessages } from './list/whole-list.ts';
import { input, markDelivered, writeMessage } from './messages.test-world.ts';
import { deleteMessage, updateMessage } from './messages.ts';
import type { MessageInput } from './messages.writing.ts';
import { createVaultWorld, nowhere, type VaultWorld } from './vault.test-world.ts';

let world: VaultWorld;

beforeAll(async () => {
  world = await createVaultWorld();
});

afterAll(() => world.close());

const write = (principal: Principal, change: Partial<MessageInput> = {}) => writeMessage(world.app, principal, change);
const list = async (owner: Principal) => (await listWholeMessages(world.app, owner)).messages;
const update = (principal: Principal, id: string, body: MessageInput, origin: RequestOrigin = nowhere) =>
  updateMessage(world.app, { principal, origin, params: { id }, body });
const remove = (principal: Principal, id: string) =>
  deleteMessage(world.app, { principal, origin: nowhere, params: { id }, query: {} });

describe('writing', () => {
  test('gives the message back, and it is on the list', async () => {
    const owner = await world.newOwner();
    const made = await write(owner);
    expect(made).toEqual({
      ...input,
      attachmentTranscript: null,
      enclosures: [],
      recipients: [{ name: null, relation: null, email: input.recipientEmail, status: null, openedAt: null }],
      showRecipients: false,
      deliverOn: null,
      announceWait: false,
      position: 1,
      encryptedContent: null,
      id: expect.any(String),
      hasAttachment: false,
      attachmentOriginalName: null,
      attachmentSize: null,
      attachmentMimeType: null,
      deliveredAt: null,
      createdAt: await world.clock.now(),
      updatedAt: await world.clock.now(),
      version: expect.any(String),
    });
    expect(await list(owner)).toEqual([made]);
  });

  test('stores no word of title, content or recipient', async () => {
    const owner = await world.newOwner();
    const { id } = await write(owner);
    const { rows } = await world.db.execute<{ row: string }>(
      sql`select m::text as row from messages m where id = ${id}`,
    );
    for (const word of ['wedding', 'ring', 'priya', 'example.org']) expect(rows[0]?.row).not.toContain(word);
  });

  test('a hundred at once on the free plan make exactly two', async () => {
    const owner = await world.newOwner();
    const tries = await Promise.allSettled(Array.from({ length: 100 }, () => write(owner)));

    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const attempt of tries) {
      if (attempt.status === 'fulfilled') continue;
      expect(attempt.reason).toMatchObject({
        type: 'MESSAGE_LIMIT_EXCEEDED',
        status: 403,
        message: expect.stringContaining('plan limit'),
        details: { upgradeRequired: true, current: 2, limit: 2 },
      });
    }
    expect(await list(owner)).toHaveLength(2);
  });

  test('the plan is the one in the database, not the one the session began with', async () => {
    const owner = await world.newOwner({ plan: 'free' });
    await world.db.update(users).set({ plan: 'premium' }).where(eq(users.id, owner.userId));
    for (let index = 0; index < 3; index += 1) await write(owner);
    expect(await list(owner)).toHaveLength(3);
  });

  test('delivered messages no longer count, and after a downgrade nothing is lost', async () => {
    const owner = await world.newOwner({ plan: 'premium' });
    const ready = { status: 'ready' } as const;
    const made = [await write(owner, ready), await write(owner, ready), await write(owner, ready)];
    await world.db.update(users).set({ plan: 'free' }).where(eq(users.id, owner.userId));

    expect(await refusal(write(owner))).toMatchObject({ details: { current: 3, limit: 2 } });
    for (const { id } of made.slice(0, 2)) await markDelivered(world.db, [{ id, at: new Date() }]);
    await write(owner);
    expect(await list(owner)).toHaveLength(4);
  });

  test('an owner whose address is not verified may write within the plan', async () => {
    const owner = await world.newOwner({ emailVerified: false });
    await write(owner);
    expect(await list(owner)).toHaveLength(1);
  });

  test('a refused message leaves nothing behind: no row, no audit, no sign of life', async () => {
    const owner = await world.newOwner();
    await write(owner);
    await write(owner);
    const before = await world.rowOf(owner.userId);
    world.clock.advance(dayMs);
    await refusal(write(owner));

    expect((await world.rowOf(owner.userId)).lastCheckinAt).toEqual(before.lastCheckinAt);
    const audited = await world.db.select().from(auditLogs).where(eq(auditLogs.userId, owner.userId));
    expect(audited).toHaveLength(2);
  });
});

describe('changing', () => {
  test('replaces everything the owner says, and nothing else', async () => {
    const owner = await world.newOwner();
    const made = await write(owner);
    world.clock.advance(60_000);
    const change: MessageInput = {
      title: 'New title',
      content: 'New content',
      recipientEmail: 'tom@example.org',
      category: 'legal',
      status: 'ready',
      visibleToTrustedContact: true,
    };
    const changed = await update(owner, made.id, change);

    const recipients = [{ name: null, relation: null, email: 'tom@example.org', status: null, openedAt: null }];
    const names = { updatedAt: await world.clock.now(), version: expect.any(String) };
    expect(changed).toEqual({ ...made, ...change, recipients, ...names });
    expect(await list(owner)).toEqual([changed]);
  });

  test('a delivered message cannot be changed, but read and deleted', async () => {
    const owner = await world.newOwner();
    const { id } = await write(owner, { status: 'ready' });
    const at = await world.clock.now();
    await markDelivered(world.db, [{ id, at }]);

    const change = { ...input, title: 'Too late' };
    expect(await refusal(update(owner, id, change))).toMatchObject({
      type: 'CONFLICT',
      status: 409,
    });
    expect(await list(owner)).toMatchObject([{ title: input.title, status: 'delivered', deliveredAt: at }]);
    await remove(owner, id);
    expect(await list(owner)).toEqual([]);
  });

  test('a message that is accepted while it is being changed keeps one of the two, never a mixture', async () => {
    const owner = await world.newOwner({ plan: 'premium' });
    for (let round = 0; round < 10; round += 1) {
      const { id } = await write(owner, { status: 'ready' });
      const accept = world.db.transaction(async (tx) => {
        await lockOwnerRow(tx, owner.userId);
        await markDelivered(tx, [{ id, at: await world.clock.now(tx) }]);
      });
      const change = update(owner, id, { ...input, status: 'ready', title: 'Changed' });
      const [changed] = await Promise.allSettled([change, accept]);

      const [row] = await world.db.select().from(table).where(eq(table.id, id));
      const listed = (await list(owner))?.find((message) => message.id === id);
      expect(row?.status).toBe('delivered');
      expect(listed?.title).toBe(changed.status === 'fulfilled' ? 'Changed' : input.title);
    }
  });

  test('a second acceptance does not move the time of the first', async () => {
    const owner = await world.newOwner();
    const { id } = await write(owner, { status: 'ready' });
    const first = new Date('2026-04-01T00:00:00.000Z');
    await markDelivered(world.db, [{ id, at: first }]);
    await markDelivered(world.db, [{ id, at: new Date('2026-05-01T00:00:00.000Z') }]);
    expect(await list(owner)).toMatchObject([{ deliveredAt: first }]);
  });
});

test('messages of a stranger and missing messages are refused in the same words', async () => {
  const [owner, stranger] = [await world.newOwner(), await world.newOwner()];
  const { id } = await write(owner);
  const calls = (wanted: string) => [update(stranger, wanted, input), remove(stranger, wanted)];
  const foreign = await Promise.all(calls(id).map(refusal));
  const missing = await Promise.all(calls(randomUUID()).map(refusal));

  for (const [index, error] of foreign.entries()) {
    expect(error.status).toBe(404);
    expect({ ...error, message: error.message }).toEqual({ ...missing[index], message: missing[index]?.message });
  }
  expect(await list(stranger)).toEqual([]);
  expect(await list(owner)).toMatchObject([{ id, title: input.title }]);
});

test('every change is a sign of life and leaves a trace without content', async () => {
  const owner = await world.newOwner();
  const heard: Date[] = [];
  activityReactionsOf(world.app).activity.push(async (_tx, { userId, at }) => {
    if (userId === owner.userId) heard.push(at);
  });

  const { id } = await write(owner);
  world.clock.advance(2 * dayMs);
  await update(owner, id, input, { ipAddress: '203.0.113.9', userAgent: 'Browser' });
  world.clock.advance(2 * dayMs);
  await remove(owner, id);
  const at = await world.clock.now();

  expect(heard).toHaveLength(3);
  expect((await world.rowOf(owner.userId)).lastCheckinAt).toEqual(at);
  expect(await world.db.select().from(checkins).where(eq(checkins.userId, owner.userId))).toHaveLength(3);
  const audited = await world.db
    .select()
    .from(auditLogs)
    .where(eq(auditLogs.userId, owner.userId))
    .orderBy(asc(auditLogs.position));
  expect(audited.map(({ action, resourceId, details, ipAddress }) => [action, resourceId, details, ipAddress])).toEqual(
    [
      ['message.create', id, null, null],
      ['message.update', id, null, '203.0.113.9'],
      ['message.delete', id, null, null],
    ],
  );
});

test('the list is newest first, one statement however long it is, and only the owner’s own', async () => {
  const owner = await world.newOwner({ plan: 'premium' });
  const other = await world.newOwner();
  await write(other);
  for (const title of ['one', 'two', 'three']) {
    await write(owner, { title });
    world.clock.advance(1_000);
  }
  for (const title of ['four', 'five']) await write(owner, { title });

  const statements: string[] = [];
  const watched = drizzle({ client: world.pool, logger: { logQuery: (query) => statements.push(query) } });
  const listed = (await listWholeMessages({ ...world.app, db: watched }, owner)).messages;
  expect(listed?.map(({ title }) => title)).toEqual(['five', 'four', 'three', 'two', 'one']);
  expect(statements).toHaveLength(1);
});
