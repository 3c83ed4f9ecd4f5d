import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { expect, onTestFinished, test } from 'vitest';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { migrateDatabase, ownMigrations } from '#server/platform/db/migrate.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createBlankDatabase, type TestDatabase } from '#tests/support/database.ts';
import { makeBackup } from './backup.service.ts';
import { fileSink } from './backup-writer.ts';
import { restoreBackup } from './restore.service.ts';

const masterKey = randomBytes(32);
const masterKeys = { current: { version: 1, key: masterKey }, find: () => masterKey };

/** A database as this version leaves it. */
async function databaseNow(): Promise<TestDatabase> {
  const database = await createBlankDatabase();
  onTestFinished(() => database.close());
  await migrateDatabase({ connection: database.connection });
  return database;
}

/** The migrations of a version to come, which adds a column to a table that a release under way rests on. */
async function migrationsToCome(): Promise<string> {
  const folder = await scratchFolder();
  await cp(ownMigrations, folder, { recursive: true });
  const file = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(file, 'utf8'));
  const last = journal.entries.at(-1);
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1000, tag: '9999_to_come' });
  await writeFile(file, JSON.stringify(journal));
  await writeFile(join(folder, '9999_to_come.sql'), 'alter table release_requests add column to_come text;');
  return folder;
}

/** An owner whose letters are being released, as the database stores it. */
async function beginRelease({ db }: TestDatabase): Promise<void> {
  await db.execute(sql`
    insert into users (email, next_step_at) values ('owner@people.example', now() + interval '9 days')`);
  await db.execute(sql`
    insert into release_requests (id, user_id, cause, inactivity_days, needed, answer_days, waiting_days, opened_at,
      opened_healthy_ms, is_silence_over, phase, phase_at, phase_healthy_ms, released_at, released_healthy_ms)
    select gen_random_uuid(), id, 'silence', 90, 1, 7, 3, now(), 0, true, 'asking', now(), 0, now(), 0 from users`);
  await db.execute(sql`insert into service_health (id) values (1) on conflict do nothing`);
}

async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-old-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('a backup of an older version is restored with its tables migrated, and all releases are paused', async () => {
  const old = await databaseNow();
  await beginRelease(old);
  await createServiceKeys(old.db, masterKeys);
  const path = join(await scratchFolder(), 'old.backup');
  await makeBackup(
    { pool: old.pool, store: createMemoryStore(), masterKeys, now: () => new Date() },
    { to: fileSink(path), masterKey: null },
  );

  const { connection, close } = await createBlankDatabase();
  onTestFinished(close);
  const migrationsFolder = await migrationsToCome();
  const keepMasterKeys = async () => async () => {};
  const deps = { connection, store: createMemoryStore(), masterKeys, keepMasterKeys, deleted: new Set<string>() };
  await restoreBackup({ ...deps, migrationsFolder }, { path });

  const restored = openDatabase({ connection, maxConnections: 1, onError: () => undefined });
  onTestFinished(() => restored.close());
  const { rows } = await restored.db.execute(sql`
    select frozen_at is not null as frozen, frozen_reason as reason,
      (select next_step_at <= now() from users) as due,
      (select to_come is null from release_requests) as "isBroughtUp",
      (select count(*)::int from schema_migrations) as migrations
    from service_health`);
  expect(rows).toEqual([
    {
      frozen: true,
      reason: expect.stringContaining('restored from a backup of'),
      due: true,
      isBroughtUp: true,
      migrations: readMigrationFiles({ migrationsFolder }).length,
    },
  ]);
});
