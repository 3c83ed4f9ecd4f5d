import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import pg from 'pg';
import { z } from 'zod';
import { advisoryLocks, findHolder } from './advisory-locks.ts';
import { takesLong } from './limits.ts';
import { reach } from './reach.ts';

/** Reason why this release can't use the database, with the operator's next step. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  /** The message is all the operator needs; a stack would only bury it. */
  readonly isForOperator = true;
}

export type MigrateOptions = {
  connection: pg.PoolConfig;
  /** The folder drizzle-kit wrote; the repository's own when not given. */
  folder?: string;
  /** Told, in a sentence, for whom it waits. */
  log?: (sentence: string) => void;
  waits?: Partial<MigrationWaits>;
};

export type MigrationWaits = {
  /** For another process that migrates. */
  othersMs: number;
  /** Lock timeout for a table in use. All later statements on the table queue behind ours. */
  tableMs: number;
};

const defaultWaits: MigrationWaits = { othersMs: 10 * 60_000, tableMs: 10_000 };
const lookAgainAfterMs = 500;
const sayAgainAfterMs = 30_000;

/** The migrations of this release. */
export const ownMigrations = fileURLToPath(new URL('../../../migrations', import.meta.url));
const oldestServerVersion = 150_000;

const journalSchema = z.object({ entries: z.array(z.object({ when: z.number() })) });

/**
 * Brings the tables up to this release; gives how many migrations were new. All of them happen or none does.
 * Any number of processes may call it at once: one works, the others wait and find it done. Everything is one transaction,
 * the lock too, so that it goes through a pooler and nothing of it outlives the process.
 */
export async function migrateDatabase({
  connection,
  folder = ownMigrations,
  ...given
}: MigrateOptions): Promise<number> {
  const { log = () => {}, waits = {} } = given;
  const { othersMs, tableMs } = { ...defaultWaits, ...waits };
  const known = await readJournal(folder);
  const client = new pg.Client({ ...connection, keepAlive: true, application_name: 'everkept migrate' });
  // The running statement reports a broken connection. An event without a listener would end the process.
  client.on('error', () => {});
  await reach(client);
  try {
    await refuseUnsuitableServer(client);
    await client.query(`begin; ${takesLong}; set local lock_timeout = ${tableMs}`);
    await takeTurn(client, { othersMs, log });
    const before = await readApplied(client);
    refuseNewerDatabase(before, known);
    const made = await applyMissing(client, folder, before);
    await client.query('commit');
    return made;
  } catch (error) {
    throw isLocked(error) ? new MigrationError(blockedSentence(tableMs)) : error;
  } finally {
    // The end of the session rolls back uncommitted work.
    await client.end();
  }
}

/**
 * Requires the tables of this release for a command that does not change tables; an empty database is made ready. If
 * an older release was here last, the error says how to continue. `anyRelease` accepts any.
 *
 * @throws MigrationError
 */
export async function requireTables({
  anyRelease = false,
  ...options
}: MigrateOptions & { anyRelease?: boolean }): Promise<void> {
  const { connection, folder = ownMigrations } = options;
  const known = await readJournal(folder);
  const client = new pg.Client({ ...connection, keepAlive: true, application_name: 'everkept' });
  client.on('error', () => {});
  await reach(client);
  let applied: number[];
  try {
    applied = await readApplied(client);
  } finally {
    await client.end();
  }
  if (applied.length === 0) {
    await migrateDatabase(options);
    return;
  }
  refuseNewerDatabase(applied, known);
  if (anyRelease || known.every((when) => applied.includes(when))) return;
  throw new MigrationError(
    'An older release used this database last, and this command changes no tables. Make a backup (everkept backup FILE), then run everkept migrate, or start the service.',
  );
}

/** Waits until no other process migrates, and says for whom it waits. */
async function takeTurn(client: pg.Client, { othersMs, log }: { othersMs: number; log: (sentence: string) => void }) {
  const startedMs = performance.now();
  let saidMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as ours', [advisoryLocks.migration]);
    if (rows[0]?.ours) return;
    const nowMs = performance.now();
    const holder = await findHolder(client, advisoryLocks.migration);
    if (nowMs - startedMs >= othersMs) {
      throw new MigrationError(
        `Another process has been migrating this database for more than ${Math.round(othersMs / 1_000)} seconds${holder}. Wait until it has ended, or end it, then start Everkept again. Nothing was changed.`,
      );
    }
    if (nowMs - saidMs >= sayAgainAfterMs) {
      log(`Waiting for another process that migrates the database${holder}.`);
      saidMs = nowMs;
    }
    await wait(lookAgainAfterMs);
  }
}

/** As drizzle-kit counts: a migration is new when its time comes after that of the newest that was applied. */
async function applyMissing(client: pg.Client, folder: string, applied: readonly number[]): Promise<number> {
  const newest = Math.max(Number.NEGATIVE_INFINITY, ...applied);
  const missing = readMigrationFiles({ migrationsFolder: folder }).filter(({ folderMillis }) => folderMillis > newest);
  if (missing.length === 0) return 0;
  await client.query(
    'create table if not exists public.schema_migrations (id serial primary key, hash text not null, created_at bigint)',
  );
  for (const { sql: statements, hash, folderMillis } of missing) {
    for (const statement of statements) await client.query(statement);
    await client.query('insert into public.schema_migrations (hash, created_at) values ($1, $2)', [hash, folderMillis]);
  }
  return missing.length;
}

/** PostgreSQL manual, appendix A: lock_not_available. */
function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

function blockedSentence(tableMs: number): string {
  return `The tables could not be changed, because another process used one of them for more than ${tableMs / 1_000} seconds: a backup, a report, or an open transaction (pg_stat_activity shows it). End it, then start Everkept again. Nothing was changed.`;
}

async function readJournal(folder: string): Promise<number[]> {
  const journal = journalSchema.parse(JSON.parse(await readFile(join(folder, 'meta', '_journal.json'), 'utf8')));
  return journal.entries.map((entry) => entry.when);
}

async function readApplied(client: pg.Client): Promise<number[]> {
  const table = await client.query("select to_regclass('public.schema_migrations') is not null as exists");
  if (!table.rows[0]?.exists) return [];
  const { rows } = await client.query<{ created_at: string }>('select created_at from public.schema_migrations');
  return rows.map((row) => Number(row.created_at));
}

// Drizzle compares times only, so an older release would find nothing to do and work on tables it does not know.
function refuseNewerDatabase(applied: number[], known: number[]): void {
  const foreign = applied.filter((when) => !known.includes(when));
  if (foreign.length === 0) return;
  if (applied.every((when) => when < Math.min(...known))) {
    throw new MigrationError(
      'The database was made by a version before the first release, which this version cannot upgrade. Export your data with that version. Then start this one with an empty DATA_DIR or database, and import the data.',
    );
  }
  throw new MigrationError(
    `The database holds ${foreign.length} ${foreign.length === 1 ? 'change' : 'changes'} this release does not know. It was used by a newer release: start that one again, or restore a backup that this release made.`,
  );
}

async function refuseUnsuitableServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; number: number; encoding: string; trigrams: boolean }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
       current_setting('server_encoding') as encoding,
       exists (select from pg_available_extensions where name = 'pg_trgm') as trigrams`,
  );
  const server = rows[0];
  if (!server) throw new MigrationError('The database does not say which version it is.');
  if (server.number < oldestServerVersion) {
    throw new MigrationError(
      `DATABASE_URL leads to PostgreSQL ${server.version}. Everkept needs PostgreSQL 15 or later.`,
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new MigrationError(
      `The database in DATABASE_URL stores text as ${server.encoding}, which cannot hold every letter. Create one with "createdb --encoding=UTF8 --template=template0 everkept".`,
    );
  }
  if (!server.trigrams) {
    throw new MigrationError(
      'The PostgreSQL that DATABASE_URL leads to was installed without its own extension pg_trgm. Install what belongs to the server as “contrib” (Red Hat calls the package postgresql-contrib), then start Everkept again. Nothing was changed.',
    );
  }
}
