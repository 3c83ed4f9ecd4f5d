import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { createDatabaseClock, createManualClock } from './clock.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('the database clock tells the real time in whole milliseconds', async () => {
  const before = Date.now();
  const now = await createDatabaseClock(database.db, { testClock: false }).now();
  expect(now.getTime()).toBeGreaterThanOrEqual(before - 1);
  expect(now.getTime()).toBeLessThanOrEqual(Date.now() + 1);
});

test('the test clock is moved by the offset that is kept, the real one is not', async () => {
  await database.db.execute(sql`update service_health set clock_offset_ms = 86400000`);
  const moved = await createDatabaseClock(database.db, { testClock: true }).now();
  const real = await createDatabaseClock(database.db, { testClock: false }).now();
  expect(Math.abs(moved.getTime() - real.getTime() - 86_400_000)).toBeLessThan(5_000);
});

test('inside a transaction it does not stand still', async () => {
  const clock = createDatabaseClock(database.db, { testClock: false });
  await database.db.transaction(async (tx) => {
    const first = await clock.now(tx);
    await tx.execute(sql`select pg_sleep(0.02)`);
    expect((await clock.now(tx)).getTime() - first.getTime()).toBeGreaterThanOrEqual(20);
  });
});

test('the manual clock moves when told', async () => {
  const clock = createManualClock(new Date(1_000));
  clock.advance(500);
  expect(await clock.now()).toEqual(new Date(1_500));
  clock.set(new Date(9_000));
  expect(await clock.now()).toEqual(new Date(9_000));
});
