import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { z } from 'zod';
import { advisoryLocks } from './advisory-locks.ts';
import { reach } from './reach.ts';

/** Why this release cannot use the database, with what the operator can do about it. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  /** The message is all the operator needs; a stack would only bury it. */
  readonly isForOperator = true;
}

export type MigrateOptions = {
  connection: pg.PoolConfig;
  /** The folder drizzle-kit wrote; the repository's own when not given. */
  folder?: string;
};

/** The migrations of this release. */
export const ownMigrations = fileURLToPath(new URL('../../../migrations', import.meta.url));
const oldestServerVersion = 150_000;

const journalSchema = z.object({ entries: z.array(z.object({ when: z.number() })) });

/**
 * Brings the tables up to this release; gives how many migrations were new. All of them happen or none does.
 * Any number of processes may call it at once: one works, the others wait and find it done.
 */
export async function migrateDatabase({ connection, folder = ownMigrations }: MigrateOptions): Promise<number> {
  const known = await readJournal(folder);
  const client = new pg.Client({ ...connection, application_name: 'everkept migrate' });
  // The statement under way reports a broken connection; an event that nobody hears would end the process.
  client.on('error', () => {});
  await reach(client);
  try {
    await refuseUnsuitableServer(client);
    await client.query('select pg_advisory_lock($1)', [advisoryLocks.migration]);
    const before = await readApplied(client);
    refuseNewerDatabase(before, known);

    await migrate(drizzle({ client }), {
      migrationsFolder: folder,
      migrationsSchema: 'public',
      migrationsTable: 'schema_migrations',
    });
    return (await readApplied(client)).length - before.length;
  } finally {
    // Ending the session gives the lock back.
    await client.end();
  }
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
      'The database was made by a state of Everkept from before its first release, which this one does not follow. Export what matters with that state, then start this one with an empty DATA_DIR or database, and import it.',
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
      `The database DATABASE_URL names stores text as ${server.encoding}, which cannot hold every letter. Create one with "createdb --encoding=UTF8 --template=template0 everkept".`,
    );
  }
  if (!server.trigrams) {
    throw new MigrationError(
      'The PostgreSQL that DATABASE_URL leads to was installed without its own extension pg_trgm. Install what belongs to the server as “contrib” (Red Hat calls the package postgresql-contrib), then start Everkept again. Nothing was changed.',
    );
  }
}
