import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type pg from 'pg';
import { takeDueOwners } from '#server/features/release-state/release-owners.repository.ts';
import { type Database, type OpenDatabase, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { migrateDatabase } from '#server/platform/db/migrate.ts';
import { type Figure, median, ms } from './figure.ts';
import { sweepRate } from './sweep-rate.ts';

const few = 10_000;
const due = 1_000;
const goals = { dueMs: 20, ratio: 1.5 };
const warmUps = 50;
const repeats = 300;
const maxConnections = 4;

type Sizes = { owners: number; dueAtOnce: number };

/** Finding the owners whose next step is due, by the function that the worker calls, among few owners and among many. */
export async function sweepFigures({ owners, dueAtOnce }: Sizes): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const opened: OpenDatabase[] = [];
  try {
    const small = await createDatabase(postgres.connection, 'few');
    opened.push(small);
    const large = await createDatabase(postgres.connection, 'many');
    opened.push(large);
    await insertWatching(small.db, few);
    await insertWatching(large.db, owners);

    const none = await noneDue(small.db, large.db);
    const found = await someDue(large.db);
    const rate = { db: large.db, connection: { ...postgres.connection, database: 'many' }, due: dueAtOnce };
    return [
      {
        what: `finding ${due} due owners among ${owners}`,
        figure: ms(found),
        goal: `< ${goals.dueMs} ms`,
        met: found < goals.dueMs,
      },
      {
        what: `none due, among ${owners} : among ${few}`,
        figure: (none.many / none.few).toFixed(2),
        goal: `≤ ${goals.ratio}`,
        met: none.many / none.few <= goals.ratio,
      },
      { what: '  among many, among few', figure: `${ms(none.many)}, ${ms(none.few)}` },
      ...(await sweepRate(rate)),
    ];
  } finally {
    for (const { close } of opened) await close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function createDatabase(connection: pg.PoolConfig, name: string): Promise<OpenDatabase> {
  const administrator = openDatabase({ connection, maxConnections: 1, onError: rethrow });
  await administrator.db.execute(sql.raw(`create database ${name}`));
  await administrator.close();
  const own = { ...connection, database: name };
  await migrateDatabase({ connection: own });
  return openDatabase({ connection: own, maxConnections, onError: rethrow });
}

/**
 * Owners who showed life within the last 20 days, so that the trigger gives each a next step on some later day. In
 * batches, each on its own, as an installation grows.
 */
async function insertWatching(db: Database, count: number): Promise<void> {
  const batch = 100_000;
  for (let from = 1; from <= count; from += batch) {
    await db.execute(sql`
      insert into users (email, first_name, email_verified, created_at, last_checkin_at)
      select 'watching-' || number || '@everkept.example', 'Bench', true, now(), now() - random() * interval '20 days'
      from generate_series(${from}::int, ${Math.min(count, from + batch - 1)}::int) number`);
  }
  await db.execute(sql`vacuum analyze users`);
}

/** The median of an empty search in both, in milliseconds. In turn, so that a machine that slows down slows both. */
async function noneDue(few: Database, many: Database): Promise<{ few: number; many: number }> {
  const now = new Date();
  const times = { few: [] as number[], many: [] as number[] };
  for (let turn = 0; turn < warmUps + repeats; turn += 1) {
    for (const [name, db] of [['few', few] as const, ['many', many] as const]) {
      const start = performance.now();
      const found = await takeDueOwners(db, now, due);
      const tookMs = performance.now() - start;
      if (found.length > 0) throw new Error('The bench made owners who are due already.');
      if (turn >= warmUps) times[name].push(tookMs);
    }
  }
  return { few: median(times.few), many: median(times.many) };
}

/** Silences a thousand owners spread over the table, and gives the median of finding all of them. */
async function someDue(db: Database): Promise<number> {
  await db.execute(sql`
    update users set last_checkin_at = now() - interval '100 days'
    where id in (select id from users order by random() limit ${due})`);
  await db.execute(sql`analyze users`);
  const now = new Date();
  const times: number[] = [];
  for (let turn = 0; turn < warmUps + repeats; turn += 1) {
    const start = performance.now();
    const found = await takeDueOwners(db, now, due);
    times.push(performance.now() - start);
    if (found.length !== due) throw new Error(`The bench made ${due} owners due, and ${found.length} were found.`);
  }
  // They show life again, so that the next figure has those whom it makes due, and no one else.
  await db.execute(sql`update users set last_checkin_at = now() where last_checkin_at < now() - interval '90 days'`);
  return median(times.slice(warmUps));
}

function rethrow(error: Error): never {
  throw error;
}
