import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { checkinLinks, releaseCycles } from '#server/schema/release.tables.ts';
import { createReleaseWorld, type ReleaseWorld } from './release.test-world.ts';
import { createWrites } from './release-writes.service.ts';

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

  expect(await db.$count(releaseCycles, eq(releaseCycles.state, 'reminded'))).toBe(count);
  expect(await db.$count(checkinLinks)).toBe(count);
  const written = await db.select().from(notifications).where(eq(notifications.kind, 'release.first_reminder'));
  expect(written.map(({ userId }) => userId).toSorted()).toEqual(owners.map(({ userId }) => userId).toSorted());
  expect(await db.$count(auditLogs, eq(auditLogs.action, 'release.first_reminder'))).toBe(count);
  expect(await world.audit.verify(db)).toMatchObject({ ok: true });
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
  expect(await world.cycleOf(silent)).toMatchObject({ state: 'reminded' });
  expect(await world.cyclesOf(acting)).toEqual([]);
});

test('a release that another writer has moved on is not overwritten, and nothing else of the step is written', async () => {
  const { db } = world;
  const owner = await world.newOwner();
  await world.jump(46);
  await world.releases.beat();
  await world.releases.sweep();
  const read = await world.cycleOf(owner);
  const writeOver = (round: number) =>
    db.transaction(async (tx) => {
      const writes = createWrites({ notifications: world.notifications, audit: world.audit }, tx);
      writes.entry({ userId: owner.userId, action: 'release.test', resource: 'release_cycle', at: read.openedAt });
      const once = writes.change(read, { round });
      writes.change(once, { countedOnDay: '2026-01-01' });
      await writes.flush();
    });

  await writeOver(1);
  await expect(writeOver(2)).rejects.toThrow('Another writer');
  expect(await world.cycleOf(owner)).toMatchObject({
    round: 1,
    countedOnDay: '2026-01-01',
    version: read.version + 1,
  });
  expect((await world.auditOf(owner)).filter((action) => action === 'release.test')).toHaveLength(1);
});
