import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { checkinLinks, releaseSilences } from '#server/schema/release.tables.ts';
import { createReleaseWorld, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;

beforeAll(async () => {
  world = await createReleaseWorld();
});

afterAll(() => world.close());

beforeEach(() => world.clear());

test('owners who fall silent together, more than one transaction holds, are each reminded once', async () => {
  const { db, releases } = world;
  const count = 105;
  const owners = await Promise.all(Array.from({ length: count }, () => world.newOwner()));
  const watched = await world.newOwner();
  await world.jump(46);
  await releases.beat();
  await world.showLife(watched);

  expect([await releases.sweep(), await releases.sweep(), await releases.sweep()]).toEqual([100, 5, 0]);

  expect(await db.$count(releaseSilences)).toBe(count);
  expect(await db.$count(checkinLinks)).toBe(count);
  const written = await db.select().from(notifications).where(eq(notifications.kind, 'release.first_reminder'));
  expect(written.map(({ userId }) => userId).toSorted()).toEqual(owners.map(({ userId }) => userId).toSorted());
  expect(await db.$count(auditLogs, eq(auditLogs.action, 'release.first_reminder'))).toBe(count);
  expect(await verifyAudit(world.app)).toMatchObject({ ok: true });
  const now = await world.clock.now();
  expect(await db.$count(users, sql`${users.nextStepAt} <= ${now.toISOString()}::timestamptz`)).toBe(0);
});

test('an owner who is acting just now keeps none of the others waiting', async () => {
  const { db, releases } = world;
  const [acting, silent] = [await world.newOwner(), await world.newOwner()];
  await world.jump(46);
  await releases.beat();
  await db.transaction(async (tx) => {
    await tx.select().from(users).where(eq(users.id, acting.userId)).for('update');
    expect(await releases.sweep()).toBe(1);
  });
  expect(await world.stateOf(silent)).toBe('reminded');
  expect(await world.silencesOf(acting)).toEqual([]);
});
