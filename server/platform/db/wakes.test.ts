import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { openDatabase } from './database.ts';
import type { Pooler } from './limits.ts';
import { listenForWakes, wakeTask } from './wakes.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Listens as a worker does. Gives the names that it heard, and ends with the test. */
function listen({ pooler = 'none' as Pooler, pool = database.pool } = {}) {
  const heard: string[] = [];
  const warned: string[] = [];
  const stopping = new AbortController();
  const log = { warn: (_details: object, message: string) => warned.push(message) };
  const listening = listenForWakes({ pool, pooler, onWake: (task) => heard.push(task), log }, stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await listening;
  });
  return { heard, warned };
}

const urgent = ['outbox', 'payments'];

/** Waits until the worker listens. It wakes the urgent tasks then, because it may have missed notifications. */
async function ready(heard: string[]): Promise<void> {
  await expect.poll(() => heard).toEqual(urgent);
  heard.length = 0;
}

test('a worker hears of a task once the transaction that wakes it commits, and never if it rolls back', async () => {
  const { heard } = listen();
  await ready(heard);
  const rolledBack = database.db.transaction(async (tx) => {
    await wakeTask(tx, 'news');
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  await database.db.transaction(async (tx) => {
    await wakeTask(tx, 'outbox');
    await wakeTask(tx, 'outbox');
  });
  await wakeTask(database.db, 'payments');
  await expect.poll(() => heard).toEqual(['outbox', 'payments']);
});

test('every worker hears of it', async () => {
  const [here, there] = [listen(), listen()];
  await ready(here.heard);
  await ready(there.heard);
  await wakeTask(database.db, 'outbox');
  await expect.poll(() => [here.heard, there.heard]).toEqual([['outbox'], ['outbox']]);
});

test('a worker whose connection broke listens over a new one, and runs what it may have missed', async () => {
  const ended: string[] = [];
  const own = openDatabase({
    connection: database.connection,
    maxConnections: 2,
    onError: (error) => ended.push(error.message),
  });
  onTestFinished(() => own.close());
  const { heard, warned } = listen(own);
  await ready(heard);
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
  );
  await ready(heard);
  await wakeTask(database.db, 'news');
  await expect.poll(() => heard).toEqual(['news']);
  expect(warned).toEqual(['The worker does not receive wake-ups.']);
  expect(ended).toContain('terminating connection due to administrator command');
});

test('behind a pooler of transactions the urgent tasks are woken again and again instead', async () => {
  const { heard } = listen({ pooler: 'transaction' });
  await expect.poll(() => heard).toEqual([...urgent, ...urgent]);
});
