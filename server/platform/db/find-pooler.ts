import pg from 'pg';
import type { Pooler } from './limits.ts';
import { reach } from './reach.ts';

/** A pooler that is busy with others may give us the same connection twice by chance; not so often. */
const triesMax = 5;

/**
 * Finds out what stands in between. PostgreSQL greets with the number of the process that serves us; a pooler greets with a
 * number of its own. One that pools transactions lets a second client have the process of a first that is still there.
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
  // The statement under way reports a broken connection; an event that nobody hears would end the process.
  client.on('error', () => {});
  await reach(client);
  return client;
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
