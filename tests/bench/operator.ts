import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { type App, openApp } from '#server/app.ts';
import { rotateKeys } from '#server/features/accounts/key-rotation.ts';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { makeBackup } from '#server/features/backup/backup.service.ts';
import { fileSink } from '#server/features/backup/backup-writer.ts';
import { addMasterKey } from '#server/platform/crypto/master-key.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { testSettings } from '#tests/support/installation/test-settings.ts';
import type { Figure } from './figure.ts';

const auditChains = 200;
const goals = { rotationSeconds: 300, auditRowsPerSecond: 50_000 };
const insertBatch = 5_000;

/** Tasks that an operator waits for: a new master key, the check of the audit log, a backup of both. */
export async function operatorFigures({ rows }: { rows: number }): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-bench-'));
  const app = await openApp(testSettings({ DATA_DIR: dataDir }), { tables: 'migrated' });
  try {
    return [await rotation(app, dataDir, rows), ...(await verification(app, rows)), ...(await backup(app, dataDir))];
  } finally {
    await app.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function rotation(app: App, dataDir: string, vaults: number): Promise<Figure> {
  const { db, vaults: keys } = app;
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
  const startedMs = performance.now();
  const { rewrapped } = await rotateKeys(app, { toVersion, settleMs: 0 });
  const seconds = (performance.now() - startedMs) / 1_000;
  if (rewrapped < vaults) throw new Error(`Only ${rewrapped} keys were wrapped again.`);
  return {
    what: `a new master key for ${vaults} vaults`,
    figure: `${seconds.toFixed(1)} s`,
    goal: `< ${goals.rotationSeconds} s`,
    met: seconds < goals.rotationSeconds,
  };
}

async function verification(app: App, auditRows: number): Promise<Figure[]> {
  const { db } = app;
  const { rows } = await db.execute<{ id: string }>(sql`select id from users order by id limit ${auditChains}`);
  const at = new Date();
  for (const { id: userId } of rows) {
    await db.transaction(async (tx) => {
      for (let index = 0; index < auditRows / auditChains; index += 1) {
        const details = { fields: ['title', 'content'], count: index };
        const origin = { ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
        await recordAudit(app, tx, {
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
    const found = await verifyAudit(app);
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

async function backup({ pool, masterKeys }: App, dataDir: string): Promise<Figure[]> {
  const path = join(dataDir, 'bench.backup');
  const startedMs = performance.now();
  const { tables } = await makeBackup(
    { pool, store: createMemoryStore(), masterKeys, now: () => new Date() },
    { to: fileSink(path), masterKey: null },
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  const { size } = await stat(path);
  return [{ what: `  a backup of ${rows} rows`, figure: `${seconds.toFixed(1)} s, ${(size / 1e6).toFixed(0)} MB` }];
}
