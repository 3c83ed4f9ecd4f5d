import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { expect, onTestFinished, test } from 'vitest';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { ownMigrations } from '#server/platform/db/migrate.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createBlankDatabase, type TestDatabase } from '#tests/support/database.ts';
import { makeBackup } from './backup.service.ts';
import { restoreBackup } from './restore.service.ts';

const masterKey = randomBytes(32);
const masterKeys = { current: { version: 1, key: masterKey }, find: () => masterKey };

/** A database as an older version left it: so many of today's migrations have been applied. */
async function databaseOf(migrations: number): Promise<TestDatabase> {
  const database = await createBlankDatabase();
  onTestFinished(() => database.close());
  const { db } = database;
  await db.execute(
    sql`create table public.schema_migrations (id serial primary key, hash text not null, created_at bigint)`,
  );
  for (const file of readMigrationFiles({ migrationsFolder: ownMigrations }).slice(0, migrations)) {
    for (const statement of file.sql) await db.execute(sql.raw(statement));
    await db.execute(sql`insert into schema_migrations (hash, created_at) values (${file.hash}, ${file.folderMillis})`);
  }
  return database;
}

/** An owner whose letters are just being released, in columns that every version has. */
async function beginRelease({ db }: TestDatabase): Promise<void> {
  await db.execute(sql`
    insert into users (email, next_step_at) values ('owner@people.example', now() + interval '9 days')`);
  await db.execute(sql`
    insert into release_cycles (id, user_id, epoch, state, opened_at)
    select gen_random_uuid(), id, 0, 'releasing', now() from users`);
  await db.execute(sql`insert into service_health (id) values (1) on conflict do nothing`);
}

async function folderForBackups(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-old-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** The first version, and those just before tables changed that a release under way rests on. */
test.each([1, 3, 16, 21, 23])(
  'a backup of the version that had %i of the migrations is restored, and everything stands still',
  async (migrations) => {
    const old = await databaseOf(migrations);
    await beginRelease(old);
    await createServiceKeys(old.db, masterKeys);
    const path = join(await folderForBackups(), 'old.backup');
    await makeBackup({ pool: old.pool, store: createMemoryStore(), now: () => new Date() }, { path, masterKey: null });

    const { connection, close } = await createBlankDatabase();
    onTestFinished(close);
    const keepMasterKeys = async () => async () => {};
    await restoreBackup(
      { connection, store: createMemoryStore(), masterKeys, keepMasterKeys, deleted: new Set() },
      path,
    );

    const restored = openDatabase({ connection, maxConnections: 1, onError: () => undefined });
    onTestFinished(() => restored.close());
    const { rows } = await restored.db.execute(sql`
    select frozen_at is not null as frozen, frozen_reason as reason,
      (select next_step_at <= now() from users) as due,
      (select count(*)::int from schema_migrations) as migrations
    from service_health`);
    expect(rows).toEqual([
      {
        frozen: true,
        reason: expect.stringContaining('restored from a backup of'),
        due: true,
        migrations: readMigrationFiles({ migrationsFolder: ownMigrations }).length,
      },
    ]);
  },
);
