import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectionTo } from '#tests/support/database.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { MigrationError, migrateDatabase, requireTables } from './migrate.ts';

const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url));
const name = `test_migrate_${process.pid}`;
const connection = connectionTo(name);
let admin: pg.Client;
let scratch: string;
let known: number;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'everkept-migrate-'));
  await cp(migrations, join(scratch, 'newer'), { recursive: true });
  known = JSON.parse(await readFile(join(migrations, 'meta/_journal.json'), 'utf8')).entries.length;
  admin = new pg.Client(connectionTo('postgres'));
  await admin.connect();
});

beforeEach(async () => {
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name} template template0`);
});

afterAll(async () => {
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.end();
  await rm(scratch, { recursive: true });
});

async function query(statement: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function addMigration(statement: string): Promise<string> {
  const folder = join(scratch, 'newer');
  const file = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(join(migrations, 'meta/_journal.json'), 'utf8'));
  const when = journal.entries.at(-1).when + 1000;
  journal.entries.push({ idx: known, version: '7', when, tag: '9999_test', breakpoints: true });
  await writeFile(file, JSON.stringify(journal));
  await writeFile(join(folder, '9999_test.sql'), statement);
  return folder;
}

test('an empty database gets every table, and a second time nothing', async () => {
  expect(await migrateDatabase({ connection })).toBe(known);
  expect(await query("select to_regclass('public.users') is not null as made")).toEqual([{ made: true }]);
  expect(await migrateDatabase({ connection })).toBe(0);
});

test('every foreign key begins an index, so that no deletion reads a whole table', async () => {
  await migrateDatabase({ connection });
  const keys = await query(`
    select conrelid::regclass::text as "table", conname as "key", exists (
      select from pg_index
      where indrelid = conrelid and (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
    ) as "isIndexed"
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`);
  expect(keys.length).toBeGreaterThan(20);
  expect(keys.filter((key) => !(key as { isIndexed: boolean }).isIndexed)).toEqual([]);
});

test('one of three parallel processes migrates', async () => {
  const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase({ connection })));
  expect(applied.toSorted()).toEqual([0, 0, known]);
  expect(await query('select count(*)::int as n from public.schema_migrations')).toEqual([{ n: known }]);
});

test('a migration that fails leaves nothing behind', async () => {
  const folder = await addMigration('create table half (id int);\n--> statement-breakpoint\nselect 1 / 0;');
  await expect(migrateDatabase({ connection, folder })).rejects.toThrow();
  expect(await query("select to_regclass('half') is null and to_regclass('users') is null as nothing")).toEqual([
    { nothing: true },
  ]);
});

test('a database that a newer release has used is refused, and left as it is', async () => {
  const folder = await addMigration('create table newer (id int);');
  await migrateDatabase({ connection, folder });
  await expect(migrateDatabase({ connection })).rejects.toThrow(MigrationError);
  await expect(migrateDatabase({ connection })).rejects.toThrow('newer release');
});

test('a command without the right to migrate changes no tables: it names the next step, and backs up the present data', async () => {
  await migrateDatabase({ connection });
  const folder = await addMigration('create table addition (id integer)');
  const older = requireTables({ connection, folder });
  await expect(older).rejects.toThrow(/everkept backup FILE.*everkept migrate/);
  await expect(older).rejects.toBeInstanceOf(MigrationError);
  await requireTables({ connection, folder, anyRelease: true });
  expect(await query("select to_regclass('public.addition') as made")).toEqual([{ made: null }]);
  await migrateDatabase({ connection, folder });
  await requireTables({ connection, folder });
  for (const anyRelease of [true, false])
    await expect(requireTables({ connection, anyRelease })).rejects.toThrow(/used by a newer release/);
});

test('an empty database is made ready by the first command, whichever it is', async () => {
  await requireTables({ connection });
  expect(await query("select to_regclass('public.users') is not null as made")).toEqual([{ made: true }]);
  await requireTables({ connection });
});

test('a database of a state from before the first release is refused in one sentence', async () => {
  await query('create table schema_migrations (id serial primary key, hash text not null, created_at bigint)');
  await query("insert into schema_migrations (hash, created_at) values ('earlier', 1)");
  await expect(migrateDatabase({ connection })).rejects.toThrow('a version before the first release');
});

test('a database that cannot hold every letter is refused', async () => {
  await admin.query(`drop database ${name} with (force)`);
  await admin.query(`create database ${name} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`);
  await expect(migrateDatabase({ connection })).rejects.toThrow('stores text as SQL_ASCII');
});

test('a server without the extension that searching needs is refused before anything is changed', async () => {
  const bare = { ...connection, options: '-c extension_control_path=/nowhere' };
  await expect(migrateDatabase({ connection: bare })).rejects.toThrow('pg_trgm');
  expect(await query("select to_regclass('users') is null as untouched")).toEqual([{ untouched: true }]);
});

test('a process that waits for another migration names it, and fails after its time with a sentence', async () => {
  const other = new pg.Client({ ...connection, application_name: 'everkept migrate' });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock($1)', [advisoryLocks.migration]);
  const said: string[] = [];
  const waiting = migrateDatabase({ connection, log: (sentence) => said.push(sentence), waits: { othersMs: 700 } });
  await expect(waiting).rejects.toThrow(
    /^Another process has been migrating this database for more than 1 seconds \(process \d+ of PostgreSQL, “everkept migrate”, since .*Z\)\. Wait until/,
  );
  expect(said).toEqual([
    expect.stringMatching(/^Waiting for another process that migrates the database \(process \d+/),
  ]);
  await other.query('rollback');
  expect(await migrateDatabase({ connection })).toBe(known);
});

test('a table in use is waited for briefly, and no part of the migration is left', async () => {
  await migrateDatabase({ connection });
  const other = new pg.Client(connection);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin; lock table users in access share mode');
  const folder = await addMigration('create table first_step (id int); alter table users add column one_more int');
  const waiting = migrateDatabase({ connection, folder, waits: { tableMs: 200 } });
  await expect(waiting).rejects.toThrow(/^The tables could not be changed, because another process used one of them/);
  expect(await query("select to_regclass('public.first_step') as found")).toEqual([{ found: null }]);
  await other.query('rollback');
  expect(await migrateDatabase({ connection, folder })).toBe(1);
});
