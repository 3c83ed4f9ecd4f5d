import { createHash } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import { advisoryLocks, findHolder } from '#server/platform/db/advisory-locks.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { takesLong } from '#server/platform/db/limits.ts';
import { FileMissingError, type FileStore } from '#server/platform/files/file-store.ts';
import { BackupBusyError, type BackupManifest, backupVersion, entryNames, rowsEntryBytes } from './backup.format.ts';
import { type BackedUpTable, listMigrations, listReferredFiles, listTables, readRows } from './backup.repository.ts';
import { sealOf } from './backup-seal.ts';
import { type BackupSink, type BackupWriter, writeBackup } from './backup-writer.ts';

export type BackupDependencies = {
  pool: pg.Pool;
  store: FileStore;
  now: () => Date;
  /** Seals the manifest. */
  masterKeys: Pick<MasterKeys, 'current'>;
};

export type BackupOptions = {
  to: BackupSink;
  /** Text of the master keys, if the backup must open without them. */
  masterKey: string | null;
};

type Tables = BackupManifest['tables'];

/**
 * Writes all data into one file while the service runs: rows from one snapshot, then the files of those rows. Meanwhile
 * no file is removed. Returns the manifest.
 * @throws BackupError
 */
export async function makeBackup(deps: BackupDependencies, { to, masterKey }: BackupOptions): Promise<BackupManifest> {
  // Two connections: the locks last until the last file is in, and a snapshot that old would keep PostgreSQL from tidying up.
  const [locks, rows] = [await deps.pool.connect(), await deps.pool.connect()];
  try {
    await lockOut(locks);
    let manifest: BackupManifest | undefined;
    await writeBackup(to, async (writer) => {
      const { tables, files } = await addRows(writer, rows, { at: deps.now(), masterKey });
      const stored = await addFiles(writer, deps.store, files);
      // Its transaction holds the locks: had the connection broken, a file could have gone unseen.
      await locks.query('select 1');
      const sums = { tables, ...stored, sha256: writer.digest() };
      manifest = { ...sums, seal: sealOf(sums, deps.masterKeys) };
      await writer.add(entryNames.manifest, jsonOf(manifest));
    });
    if (!manifest) throw new Error('A backup without a manifest was written.');
    return manifest;
  } finally {
    rows.release();
    await giveBack(locks);
  }
}

/** The lock lasts for a transaction, so that a pooler never passes it to another client and a dead process frees it. */
async function lockOut(client: pg.PoolClient): Promise<void> {
  await client.query('begin');
  await client.query(takesLong);
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as alone', [advisoryLocks.backup]);
  if (!rows[0]?.alone) {
    const holder = await findHolder(client, advisoryLocks.backup);
    throw new BackupBusyError(`Another backup is being made${holder}. Wait until it has ended.`);
  }
  // Waits for file removals in progress.
  await client.query('select pg_advisory_xact_lock($1)', [advisoryLocks.fileRemoval]);
}

async function giveBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}

async function addRows(
  writer: BackupWriter,
  client: pg.PoolClient,
  { at, masterKey }: { at: Date; masterKey: string | null },
): Promise<{ tables: Tables; files: string[] }> {
  return drizzle({ client }).transaction(
    async (tx) => {
      await tx.execute(takesLong);
      const migrations = await listMigrations(tx);
      const header = { format: 'everkept-backup', version: backupVersion, createdAt: at.toISOString(), migrations };
      await writer.add(entryNames.header, jsonOf(header));
      if (masterKey !== null) await writer.add(entryNames.masterKey, Buffer.from(masterKey));

      const tables: Tables = {};
      for (const table of await listTables(tx)) tables[table.name] = await addTable(writer, tx, table);
      return { tables, files: await listReferredFiles(tx) };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

async function addTable(writer: BackupWriter, tx: Executor, table: BackedUpTable): Promise<Tables[string]> {
  const hash = createHash('sha256');
  let rows = 0;
  let part = 0;
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;

  async function flush(): Promise<void> {
    if (bufferedBytes === 0) return;
    const content = Buffer.concat(buffered);
    hash.update(content);
    await writer.add(entryNames.rows(table.name, part), content);
    part += 1;
    buffered = [];
    bufferedBytes = 0;
  }

  for await (const lines of readRows(tx, table)) {
    for (const line of lines) {
      const row = Buffer.from(`${line}\n`);
      buffered.push(row);
      bufferedBytes += row.length;
      rows += 1;
      if (bufferedBytes >= rowsEntryBytes) await flush();
    }
  }
  await flush();
  return { rows, sha256: hash.digest('hex') };
}

async function addFiles(writer: BackupWriter, store: FileStore, keys: readonly string[]) {
  const files = { count: 0, bytes: 0 };
  const missingFiles: string[] = [];
  for (const key of keys) {
    const sizeBytes = await store.sizeOf(key).catch((error: unknown) => {
      if (error instanceof FileMissingError) return null;
      throw error;
    });
    if (sizeBytes === null) {
      missingFiles.push(key);
      continue;
    }
    await writer.addStream(entryNames.file(key), sizeBytes, await store.read(key));
    files.count += 1;
    files.bytes += sizeBytes;
  }
  return { files, missingFiles };
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
