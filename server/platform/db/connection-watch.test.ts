import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { isPassingTrouble } from '#server/http/database-trouble.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { type SwallowingProxy, startSwallowingProxy } from '#tests/support/servers/swallowing-proxy.ts';
import { SilentConnectionError } from './connection-watch.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { defaultLimits, type Pooler } from './limits.ts';

let database: TestDatabase;
let proxy: SwallowingProxy;

beforeAll(async () => {
  database = await createTestDatabase();
  const { host, port } = database.connection;
  proxy = await startSwallowingProxy({ path: `${host}/.s.PGSQL.${port}` });
});
afterAll(async () => {
  await proxy.close();
  await database.close();
});

function open({ limits = defaultLimits, pooler = 'none' as Pooler } = {}): OpenDatabase & { silent: number[] } {
  const silent: number[] = [];
  const connection = { ...database.connection, host: '127.0.0.1', port: proxy.port };
  const opened = openDatabase({
    connection,
    maxConnections: 4,
    limits,
    pooler,
    pace: { lookEveryMs: 50, doubtAfterMs: 300, idleForMs: 200, graceMs: 300 },
    onError: () => undefined,
    onSilent: (count) => silent.push(count),
  });
  onTestFinished(() => opened.close());
  return { ...opened, silent };
}

test('a statement whose connection goes silent fails within seconds, and what its transaction held is free', async () => {
  const { db, silences, silent } = open();
  const startedMs = performance.now();
  const held = db.transaction(async (tx) => {
    await tx.execute(sql`select id from service_health for update`);
    proxy.swallow();
    await tx.execute(sql`select 1`);
  });
  const failure: unknown = await held.catch((error: unknown) => error);
  expect(isPassingTrouble(failure)).toBe(true);
  // On the very next connection, which no one has to wait for.
  await db.execute(sql`select id from service_health for update nowait`);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect([silences().count, silent]).toEqual([1, [1]]);
});

test('idle connections are replaced after one was found silent', async () => {
  const { db, pool } = open();
  await Promise.all([1, 2, 3].map(() => db.execute(sql`select pg_sleep(0.1)`)));
  proxy.swallow();
  await expect(db.execute(sql`select 1`)).rejects.toThrow();
  const startedMs = performance.now();
  await Promise.all([1, 2, 3].map(() => db.execute(sql`select 1`)));
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(pool.totalCount).toBeLessThanOrEqual(3);
});

test('a slow statement is left alone, as long as PostgreSQL works at it', async () => {
  const { db, silences } = open();
  await db.execute(sql`select pg_sleep(1.5)`);
  expect(silences().count).toBe(0);
});

test('a statement, a lock and a transaction in which nothing happens have limits of their own', async () => {
  const { db } = open({ limits: { statementMs: 700, lockMs: 300, idleMs: 500 } });
  await expect(db.execute(sql`select pg_sleep(5)`)).rejects.toMatchObject({ cause: { code: '57014' } });
  const idle = db.transaction(async (tx) => {
    await tx.execute(sql`select id from service_health for update`);
    await expect(db.execute(sql`select id from service_health for update`)).rejects.toMatchObject({
      cause: { code: '55P03' },
    });
    await sleep(1_000);
    await tx.execute(sql`select 1`);
  });
  await expect(idle).rejects.toThrow();
});

test('behind a pooler, each transaction says its limits as it begins, and no statement has a name', async () => {
  const { db, pool } = open({ limits: { ...defaultLimits, lockMs: 1_234 }, pooler: 'transaction' });
  const limit = async (executor: Pick<typeof db, 'execute'>) => {
    return (await executor.execute<{ lock_timeout: string }>(sql`show lock_timeout`)).rows[0]?.lock_timeout;
  };
  expect(await db.transaction(limit, { isolationLevel: 'repeatable read' })).toBe('1234ms');
  expect(await limit(db)).toBe('0');
  const client = await pool.connect();
  await client.query({ name: 'one', text: 'select 1' });
  const { rows } = await client.query('select name from pg_prepared_statements');
  client.release();
  expect(rows).toEqual([]);
});

test('behind a pooler, whose processes have other numbers, a silent connection is given up by the limit of a statement', async () => {
  const { db } = open({ limits: { ...defaultLimits, statementMs: 500 }, pooler: 'session' });
  await db.execute(sql`select 1`);
  proxy.swallow();
  await expect(db.execute(sql`select 1`)).rejects.toMatchObject({ cause: expect.any(SilentConnectionError) });
  await db.execute(sql`select 1`);
});
