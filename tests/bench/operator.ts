import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { createKeyRotation } from '#server/features/accounts/key-rotation.service.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { makeBackup } from '#server/features/backup/backup.service.ts';
import { fileSink } from '#server/features/backup/backup-writer.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { addMasterKey, loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { type OpenDatabase, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { migrateDatabase } from '#server/platform/db/migrate.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import type { Figure } from './figure.ts';

const auditChains = 200;
const goals = { rotationSeconds: 300, auditRowsPerSecond: 50_000 };
const insertBatch = 5_000;

/** Tasks that an operator waits for: a new master key, the check of the audit log, a backup of both. */
export async function operatorFigures({ rows }: { rows: number }): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    await migrateDatabase({ connection: postgres.connection });
    // A connection that the server ends while it is being closed is no failure.
    let isClosing = false;
    const onError = (error: Error) => (isClosing ? undefined : rethrow(error));
    const database = openDatabase({ connection: postgres.connection, maxConnections: 4, onError });
    try {
      return [
        await rotation(database, dataDir, rows),
        ...(await verification(database, dataDir, rows)),
        ...(await backup(database, dataDir)),
      ];
    } finally {
      isClosing = true;
      await database.close();
    }
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function rotation({ db }: OpenDatabase, dataDir: string, vaults: number): Promise<Figure> {
  const masterKeys = await loadMasterKeys({ dataDir });
  const audit = createAudit(await createServiceKeys(db, masterKeys));
  const keys = createVaults(masterKeys);
  await db.execute(sql`
    insert into users (email) select 'owner-' || number || '@everkept.example' from generate_series(1, ${vaults}::int) number`);
  const { rows } = await db.execute<{ id: string }>(sql`select id from users`);
  for (let from = 0; from < rows.length; from += insertBatch) {
    const made = rows.slice(from, from + insertBatch).map(({ id }) => ({ id, ...keys.create(id) }));
    await db.execute(sql`
      insert into vault_keys (user_id, key_version, wrapped_key)
      select * from unnest(${sql.param(made.map(({ id }) => id))}::uuid[], ${sql.param(made.map(({ keyVersion }) => keyVersion))}::int[],
                           ${sql.param(made.map(({ wrappedKey }) => wrappedKey))}::bytea[])`);
  }
  const toVersion = await addMasterKey({ dataDir });
  const clock = createDatabaseClock(db, { testClock: false });
  const rotations = createKeyRotation({ db, clock, vaults: keys, masterKeys, audit });
  const startedMs = performance.now();
  const { rewrapped } = await rotations.rotate({ toVersion, settleMs: 0 });
  const seconds = (performance.now() - startedMs) / 1_000;
  if (rewrapped < vaults) throw new Error(`Only ${rewrapped} keys were wrapped anew.`);
  return {
    what: `a new master key for ${vaults} vaults`,
    figure: `${seconds.toFixed(1)} s`,
    goal: `< ${goals.rotationSeconds} s`,
    met: seconds < goals.rotationSeconds,
  };
}

async function verification({ db }: OpenDatabase, dataDir: string, auditRows: number): Promise<Figure[]> {
  const { rows } = await db.execute<{ id: string }>(sql`select id from users order by id limit ${auditChains}`);
  const audit = createAudit(await createServiceKeys(db, await loadMasterKeys({ dataDir })));
  const at = new Date();
  for (const { id: userId } of rows) {
    await db.transaction(async (tx) => {
      for (let index = 0; index < auditRows / auditChains; index += 1) {
        const details = { fields: ['title', 'content'], count: index };
        const origin = { ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
        await audit.record(tx, {
          userId,
          action: 'message.update',
          resource: 'message',
          resourceId: userId,
          details,
          origin,
          at,
        });
      }
    });
  }
  await db.execute(sql`vacuum analyze audit_logs`);
  const rates: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const startedMs = performance.now();
    const found = await audit.verify(db);
    if (!found.ok) throw new Error('A log that nobody changed was found changed.');
    rates.push(found.rows / ((performance.now() - startedMs) / 1_000));
  }
  const best = Math.max(...rates);
  return [
    {
      what: 'audit rows verified',
      figure: `${Math.round(best)} a second`,
      goal: `≥ ${goals.auditRowsPerSecond}`,
      met: best >= goals.auditRowsPerSecond,
    },
  ];
}

async function backup({ pool }: OpenDatabase, dataDir: string): Promise<Figure[]> {
  const path = join(dataDir, 'bench.backup');
  const startedMs = performance.now();
  const masterKeys = await loadMasterKeys({ dataDir });
  const { tables } = await makeBackup(
    { pool, store: createMemoryStore(), masterKeys, now: () => new Date() },
    { to: fileSink(path), masterKey: null },
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  const { size } = await stat(path);
  return [{ what: `  a backup of ${rows} rows`, figure: `${seconds.toFixed(1)} s, ${(size / 1e6).toFixed(0)} MB` }];
}

function rethrow(error: Error): never {
  throw error;
}
