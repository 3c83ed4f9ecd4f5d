import pg from 'pg';
import type { Pooler } from './limits.ts';
import { reach } from './reach.ts';

/** A pooler that is busy with others may give us the same connection twice by chance; not so often. */
const triesMax = 5;

/**
 * Detects a pooler. PostgreSQL greets with the number of the serving process; a pooler greets with its own number. A
 * transaction pooler can give a second client the process of a first that is still connected.
 */
export async function findPooler(connection: pg.PoolConfig): Promise<Pooler> {
  const one = await open(connection);
  try {
    // The driver keeps the number, and its types do not know of it.
    const { processID } = one as pg.Client & { processID: number | null };
    if ((await backendOf(one)) === processID) return 'none';
    const two = await open(connection);
    try {
      for (let tries = 0; tries < triesMax; tries += 1) if (await takesTurns(one, two)) return 'transaction';
      return 'session';
    } finally {
      await two.end();
    }
  } finally {
    await one.end();
  }
}

async function takesTurns(one: pg.Client, two: pg.Client): Promise<boolean> {
  const before = await backendOf(one);
  await two.query('begin');
  const other = await backendOf(two);
  const after = await backendOf(one);
  await two.query('rollback');
  return other === before || after !== before;
}

async function open(connection: pg.PoolConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: 'everkept' });
  // The running statement reports a broken connection. An event without a listener would end the process.
  client.on('error', () => {});
  await reach(client);
  return client;
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
