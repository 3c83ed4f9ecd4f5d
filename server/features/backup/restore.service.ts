import { sql } from 'drizzle-orm';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { markRestored } from '#server/features/release-health/health.ts';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import { parseMasterKeys } from '#server/platform/crypto/master-key-text.ts';
import { createServiceKeys, WrongMasterKeyError } from '#server/platform/crypto/service-keys.ts';
import { createVaults, SealBrokenError } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { migrateDatabase, ownMigrations } from '#server/platform/db/migrate.ts';
import { reach } from '#server/platform/db/reach.ts';
import type { FileStore } from '#server/platform/files/file-store.ts';
import { isDiskFull } from '#server/platform/files/full-disk.ts';
import { BackupError, type BackupManifest } from './backup.format.ts';
import {
  advanceSequences,
  type BackedUpTable,
  destroyKeys,
  emptyTables,
  insertRows,
  isInUse,
  listMigrations,
  listTables,
  lookAround,
  loosen,
} from './backup.repository.ts';
import { type BackupFile, readBackup } from './backup-reader.ts';
import { requireSeal } from './backup-seal.ts';

export type RestoreDependencies = {
  /** A database that need not be migrated yet. */
  connection: pg.PoolConfig;
  store: FileStore;
  /** Master keys of this installation; null if it has none yet. */
  masterKeys: MasterKeys | null;
  /** Stores the master keys from the backup, if there are none. Returns a function that removes them again. */
  keepMasterKeys: (text: string) => Promise<() => Promise<void>>;
  /** Owners whom the ledger lists as deleted. Their keys are never restored, not even briefly. */
  deleted: ReadonlySet<string>;
  /** The operator named the flag that restores a backup without a right seal. */
  acceptsUnproven?: boolean;
  /** Migrations of this release, if they are not the repository's own. */
  migrationsFolder?: string;
};

export type Restored = {
  createdAt: string;
  rows: number;
  files: number;
  /** Files that were missing already when the backup was made. */
  missingFiles: string[];
  /** People who had been deleted since. */
  forgotten: number;
};

/** Results of the first pass over a backup. */
type Survey = {
  createdAt: string;
  /** Migrations that the backup's tables had, oldest first. */
  migrations: MigrationMeta[];
  masterKey: string | null;
  files: Set<string>;
  manifest: BackupManifest;
};

/**
 * Brings a backup into an empty place: all of it, or nothing. It is read twice, first to see that it is whole, so that a
 * damaged one changes nothing at all. @throws BackupError
 */
export async function restoreBackup(deps: RestoreDependencies, from: BackupFile): Promise<Restored> {
  const folder = deps.migrationsFolder ?? ownMigrations;
  const survey = await surveyBackup(from, folder);
  const keys = keysFor(deps.masterKeys, survey.masterKey);
  if (!deps.acceptsUnproven) requireSeal(survey.manifest, keys);
  await refuseStrangeFiles(deps.store, survey.files);
  const client = new pg.Client({ ...deps.connection, application_name: 'everkept restore' });
  // The running statement reports a broken connection. Without a listener, this event would end the process.
  client.on('error', () => {});
  await reach(client);
  let forgotten = 0;
  try {
    forgotten = await bringIn(deps, drizzle({ client }), { from, survey, keys });
  } finally {
    await client.end();
  }
  await migrateDatabase({ connection: deps.connection, folder });
  const { tables, files, missingFiles } = survey.manifest;
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return { createdAt: survey.createdAt, rows, files: files.count, missingFiles, forgotten };
}

async function surveyBackup(from: BackupFile, migrationsFolder: string): Promise<Survey> {
  let createdAt = '';
  let seen: string[] = [];
  let masterKey: string | null = null;
  const files = new Set<string>();
  const manifest = await readBackup(from, {
    header(header) {
      ({ createdAt, migrations: seen } = header);
    },
    masterKey(text) {
      masterKey = text;
    },
    async file(key, content) {
      files.add(key);
      for await (const _ of content);
    },
  });
  const migrations = readMigrationFiles({ migrationsFolder }).slice(0, seen.length);
  if (seen.some((hash, index) => migrations[index]?.hash !== hash)) {
    throw new BackupError(
      'This backup was made by a release that this one cannot upgrade. Restore it with that release.',
    );
  }
  return { createdAt, migrations, masterKey, files, manifest };
}

function keysFor(here: MasterKeys | null, inBackup: string | null): MasterKeys {
  if (here) return here;
  if (inBackup === null) {
    throw new BackupError(
      'There is no master key here, and none in the backup. Put the key that was in use into DATA_DIR/master.key, or set MASTER_KEY_FILE.',
    );
  }
  const keys = parseMasterKeys(inBackup, 'The backup');
  const byVersion = new Map(keys.map(({ version, key }) => [version, key]));
  const [newest] = keys.toSorted((one, other) => other.version - one.version);
  if (!newest) throw new BackupError('The backup holds an empty master key.');
  return { current: newest, find: (version) => byVersion.get(version) };
}

/** Files of this very backup are what a restore that was killed has left. */
async function refuseStrangeFiles(store: FileStore, ofBackup: ReadonlySet<string>): Promise<void> {
  for await (const key of store.list()) {
    if (!ofBackup.has(key)) throw new BackupError('There are files here already. Restore into an empty place.');
  }
}

type Bringing = { from: BackupFile; survey: Survey; keys: MasterKeys };

async function bringIn(deps: RestoreDependencies, db: Database, { from, survey, keys }: Bringing): Promise<number> {
  const stored: string[] = [];
  let takeKeysBack: (() => Promise<void>) | undefined;
  try {
    return await db.transaction(async (tx) => {
      await prepareTables(tx, survey.migrations);
      const tighten = await loosen(tx);
      const tables = new Map((await listTables(tx)).map((table) => [table.name, table]));
      const manifest = await readBackup(from, {
        rows: (name, lines) => insertRows(tx, tableNamed(tables, name), lines),
        async file(key, content) {
          stored.push(key);
          await deps.store.put(key, content);
        },
      });
      if (manifest.sha256 !== survey.manifest.sha256)
        throw new BackupError('The backup was changed while it was read.');
      await tighten();
      await advanceSequences(tx);
      const forgotten = await destroyKeys(tx, deps.deleted);
      await refuseForeignKey(tx, keys);
      await markRestored(tx, { backupAt: new Date(survey.createdAt) });
      // Before the commit: rows without their key would be unreadable.
      if (!deps.masterKeys && survey.masterKey !== null) {
        takeKeysBack = await deps.keepMasterKeys(survey.masterKey);
      }
      return forgotten;
    });
  } catch (error) {
    await takeKeysBack?.();
    for (const key of stored) await deps.store.remove(key);
    if (!isDiskFull(error)) throw error;
    throw new BackupError(
      'The backup does not fit: the disk of the files or of the database is full. Nothing was kept. Free some space, then restore again.',
    );
  }
}

function tableNamed(tables: ReadonlyMap<string, BackedUpTable>, name: string): BackedUpTable {
  const table = tables.get(name);
  if (!table) throw new BackupError(`The backup holds a table that its release does not have: ${name}.`);
  return table;
}

/** Leaves tables of the backup's own version, without a row. */
async function prepareTables(tx: Executor, migrations: readonly MigrationMeta[]): Promise<void> {
  if (await isInUse(tx))
    throw new BackupError('Another process is using this database. Stop every process of Everkept first.');
  const found = await lookAround(tx);
  if (found === 'used') throw new BackupError('This database has been used already. Restore into an empty database.');
  if (found === 'foreign')
    throw new BackupError('This database holds tables of another program. Restore into an empty one.');
  if (found === 'unused') {
    const here = await listMigrations(tx);
    if (here.join() !== migrations.map(({ hash }) => hash).join()) {
      throw new BackupError('This database has tables of another version, and no data yet. Restore into an empty one.');
    }
    await emptyTables(tx);
    return;
  }
  await tx.execute(
    sql`create table public.schema_migrations (id serial primary key, hash text not null, created_at bigint)`,
  );
  for (const { sql: statements } of migrations) {
    for (const statement of statements) await tx.execute(sql.raw(statement));
  }
  // The migrations have rows of their own; the backup has all of them.
  await emptyTables(tx);
}

/**
 * Refuses a master key that does not open the restored rows. New rows under it would be unreadable with the old key.
 */
async function refuseForeignKey(tx: Executor, keys: MasterKeys): Promise<void> {
  try {
    await createServiceKeys(tx, keys);
    await openSomeVaults(tx, keys);
  } catch (error) {
    if (!(error instanceof WrongMasterKeyError) && !(error instanceof SealBrokenError)) throw error;
    throw new BackupError(
      'The master key here is not the one of this backup. Put the key that was in use when it was made into DATA_DIR/master.key or MASTER_KEY_FILE.',
    );
  }
}

/** One vault for each master key that is in use. */
async function openSomeVaults(tx: Executor, keys: MasterKeys): Promise<void> {
  const { rows } = await tx.execute<{ user_id: string; key_version: number; wrapped_key: Buffer }>(sql`
    select distinct on (key_version) user_id, key_version, wrapped_key from vault_keys order by key_version, user_id`);
  const vaults = createVaults(keys);
  for (const row of rows) vaults.open(row.user_id, { keyVersion: row.key_version, wrappedKey: row.wrapped_key });
}
