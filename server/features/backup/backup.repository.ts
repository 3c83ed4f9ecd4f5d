import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';

/** A table with the columns that are backed up. Columns that PostgreSQL computes are left out. */
export type BackedUpTable = { name: string; columns: string[] };

/** Tables with short-lived rows. Users sign in again, so a session that ended since the backup never returns. */
const leftOut = ['sessions', 'rate_limits'];

const rowsPerFetch = 200;

/** All tables of Everkept, by name. Jobs are in another schema and only wake the worker: rows are the truth. */
export async function listTables(executor: Executor): Promise<BackedUpTable[]> {
  const { rows } = await executor.execute<BackedUpTable>(sql`
    select c.table_name as name, json_agg(c.column_name order by c.ordinal_position) as columns
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
      and c.table_name not in (${sql.join(
        leftOut.map((name) => sql`${name}`),
        sql`, `,
      )})
    group by 1 order by 1`);
  return rows;
}

/** SHA-256 of each applied migration, oldest first. Empty if there was none. */
export async function listMigrations(executor: Executor): Promise<string[]> {
  const { rows: tables } = await executor.execute(sql`select to_regclass('public.schema_migrations') as found`);
  if (tables[0]?.found === null) return [];
  const { rows } = await executor.execute<{ hash: string }>(sql`
    select hash from public.schema_migrations order by created_at`);
  return rows.map(({ hash }) => hash);
}

/** The rows of a table in pieces, each row a line of JSON: to be read in one transaction, from one snapshot. */
export async function* readRows(tx: Executor, { name, columns }: BackedUpTable): AsyncGenerator<string[]> {
  await tx.execute(sql`
    declare backup_rows no scroll cursor for
    select row_to_json(kept)::text as line from (select ${listOf(columns)} from public.${sql.identifier(name)}) kept`);
  for (;;) {
    const { rows } = await tx.execute<{ line: string }>(sql.raw(`fetch ${rowsPerFetch} from backup_rows`));
    if (rows.length > 0) yield rows.map(({ line }) => line);
    if (rows.length < rowsPerFetch) break;
  }
  await tx.execute(sql`close backup_rows`);
}

/** Writes rows as `readRows` gave them. */
export async function insertRows(tx: Executor, { name, columns }: BackedUpTable, lines: Buffer): Promise<void> {
  const rows = `[${lines.toString('utf8').trimEnd().replaceAll('\n', ',')}]`;
  await tx.execute(sql`
    insert into public.${sql.identifier(name)} (${listOf(columns)}) overriding system value
    select ${listOf(columns)} from json_populate_recordset(null::public.${sql.identifier(name)}, ${rows}::json)`);
}

/** Ids of files that any row refers to, from all tables with a foreign key on `file_objects`. */
export async function listReferredFiles(tx: Executor): Promise<string[]> {
  const { rows: columns } = await tx.execute<{ table: string; column: string }>(sql`
    select source.relname as table, attribute.attname as column
    from pg_constraint reference
    join pg_class source on source.oid = reference.conrelid
    join pg_attribute attribute on attribute.attrelid = source.oid and attribute.attnum = reference.conkey[1]
    where reference.contype = 'f' and reference.confrelid = 'public.file_objects'::regclass`);
  const selects = columns.map(
    ({ table, column }) =>
      sql`select ${sql.identifier(column)} as path from public.${sql.identifier(table)} where ${sql.identifier(column)} is not null`,
  );
  const { rows } = await tx.execute<{ path: string }>(sql.join(selects, sql` union `));
  return rows.map(({ path }) => path);
}

/**
 * Destroys the vault keys of all owners whose id has one of these hashes (SHA-256, hexadecimal). Their data is
 * unreadable from here on; their rows are deleted at the next start. Returns the number of keys.
 */
export async function destroyKeys(tx: Executor, hashes: ReadonlySet<string>): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from vault_keys
    where encode(sha256(convert_to(user_id::text, 'UTF8')), 'hex') = any(${sql.param([...hashes])}::text[])`);
  return rowCount ?? 0;
}

/** True if another Everkept process uses this database. */
export async function isInUse(executor: Executor): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    select 1 from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name = 'everkept' limit 1`);
  return rows.length > 0;
}

/** Rows that only a used installation has. Payments and the audit log outlive their accounts. */
const traces = [
  { table: 'users', where: sql`true` },
  { table: 'file_objects', where: sql`true` },
  { table: 'payments', where: sql`true` },
  { table: 'audit_logs', where: sql`chain <> 'installation'` },
];

/** Checks if the database has tables, and if the installation was ever used. */
export async function lookAround(executor: Executor): Promise<'blank' | 'unused' | 'used' | 'foreign'> {
  const { rows } = await executor.execute<{ tables: number; ours: boolean }>(sql`
    select count(*)::int as tables, to_regclass('public.schema_migrations') is not null as ours
    from information_schema.tables where table_schema = 'public'`);
  const [found] = rows;
  if (!found || found.tables === 0) return 'blank';
  if (!found.ours) return 'foreign';
  for (const { table, where } of traces) if (await holdsAny(executor, table, where)) return 'used';
  return 'unused';
}

/** An older release may not have the table yet. */
async function holdsAny(executor: Executor, table: string, where: SQL): Promise<boolean> {
  const { rows: tables } = await executor.execute(sql`select to_regclass(${`public.${table}`}) as found`);
  if (tables[0]?.found === null) return false;
  const { rows } = await executor.execute(sql`select 1 from public.${sql.identifier(table)} where ${where} limit 1`);
  return rows.length > 0;
}

export async function emptyTables(tx: Executor): Promise<void> {
  const tables = (await listTables(tx)).map(({ name }) => sql`public.${sql.identifier(name)}`);
  await tx.execute(sql`truncate ${sql.join(tables, sql`, `)} cascade`);
}

/**
 * Drops foreign keys and triggers, so that rows can be inserted in any order. Returns a function that restores them.
 * Restoring the foreign keys checks every row.
 */
export async function loosen(tx: Executor): Promise<() => Promise<void>> {
  const { rows: keys } = await tx.execute<{ table: string; name: string; definition: string }>(sql`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`);
  const { rows: tables } = await tx.execute<{ table: string }>(sql`
    select distinct tgrelid::regclass::text as table from pg_trigger
    join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and relnamespace = 'public'::regnamespace`);
  for (const { table, name } of keys) await tx.execute(sql.raw(`alter table ${table} drop constraint ${name}`));
  for (const { table } of tables) await tx.execute(sql.raw(`alter table ${table} disable trigger user`));
  return async () => {
    for (const { table } of tables) await tx.execute(sql.raw(`alter table ${table} enable trigger user`));
    for (const { table, name, definition } of keys) {
      await tx.execute(sql.raw(`alter table ${table} add constraint ${name} ${definition}`));
    }
  };
}

/** Sets every counter after the highest number in its column. */
export async function advanceSequences(tx: Executor): Promise<void> {
  const { rows } = await tx.execute<{ table: string; column: string; sequence: string }>(sql`
    select quote_ident(table_name) as table, quote_ident(column_name) as column,
      pg_get_serial_sequence('public.' || quote_ident(table_name), column_name) as sequence
    from information_schema.columns
    where table_schema = 'public' and pg_get_serial_sequence('public.' || quote_ident(table_name), column_name) is not null`);
  for (const { table, column, sequence } of rows) {
    await tx.execute(
      sql.raw(`select setval('${sequence}', greatest((select max(${column}) from public.${table}), 1))`),
    );
  }
}

function listOf(columns: readonly string[]) {
  return sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  );
}
