import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { type OpenDatabase, openDatabase } from './database.ts';

let database: TestDatabase;
let opened: OpenDatabase;
const errors: Error[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  opened = openDatabase({
    connection: database.connection,
    maxConnections: 2,
    onError: (error) => errors.push(error),
  });
});

afterAll(async () => {
  await opened.close();
  await database.close();
});

async function terminate(pid: number): Promise<void> {
  await database.pool.query('select pg_terminate_backend($1, 5000)', [pid]);
}

describe('a pool', () => {
  test('says so once and goes on when the server ends an idle connection', async () => {
    errors.length = 0;
    const { rows } = await opened.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    await terminate(rows[0]?.pid ?? 0);
    await expect.poll(() => errors.length).toBe(1);

    const again = await opened.db.execute(sql`select 1 as one`);
    expect(again.rows).toEqual([{ one: 1 }]);
    expect(errors).toHaveLength(1);
  });

  test('survives the loss of a connection between two statements of a transaction', async () => {
    errors.length = 0;
    const lost = opened.db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await terminate(rows[0]?.pid ?? 0);
      // The server's last words, and the end of the connection.
      await expect.poll(() => errors.length).toBe(2);
      await tx.execute(sql`select 1`);
    });

    await expect(lost).rejects.toThrow(/^Failed query/);
    const again = await opened.db.execute(sql`select 1 as one`);
    expect(again.rows).toEqual([{ one: 1 }]);
  });

  test('never opens more connections than it was allowed', async () => {
    const pids = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { rows } = await opened.pool.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.01)');
        return rows[0]?.pid;
      }),
    );
    expect(new Set(pids).size).toBeLessThanOrEqual(2);
  });

  test.each([
    ['none', 1],
    ['session', 1],
    ['transaction', 0],
  ] as const)('PostgreSQL keeps repeated statements, with %s in between', async (pooler, kept) => {
    const one = openDatabase({ ...database, maxConnections: 1, pooler, onError: (error) => errors.push(error) });
    try {
      for (const count of [1, 2, 3]) {
        const { rows } = await one.db.execute(sql`select ${count}::int + 1 as next`);
        expect(rows).toEqual([{ next: count + 1 }]);
      }
      const { rows } = await one.pool.query('select statement from pg_prepared_statements');
      expect(rows).toHaveLength(kept);
    } finally {
      await one.close();
    }
  });
});
