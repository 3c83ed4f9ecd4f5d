import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** Rows of a table as a statement takes them: one parameter, however many there are. */
export type RecordSet<Row> = {
  /** The columns, separated by commas, to insert into and to select. */
  names: SQL;
  /** `col = excluded.col` for each column, for rows that exist already. */
  overwritten: SQL;
  /** The rows to select from. The parameter is the placeholder `rows`. */
  source: SQL;
  /** Source for a statement that writes to several tables. `name` is the placeholder. */
  sourceNamed(name: string): SQL;
  /** These rows to select from, for a statement that is written for them alone. */
  sourceOf(rows: readonly Row[]): SQL;
  /** Value of the placeholder. */
  encode(rows: readonly Row[]): string;
};

/**
 * Lets a prepared statement write any number of rows. Its text stays equal, and PostgreSQL splits the rows by the
 * types of the table's columns (`json_populate_recordset`). Unnamed columns get their default.
 */
export function recordSet<Table extends PgTable, Key extends keyof Table['$inferInsert'] & string>(
  table: Table,
  keys: readonly Key[],
): RecordSet<{ [K in Key]: Exclude<Table['$inferInsert'][K], undefined> }> {
  type Given = { [K in Key]: Exclude<Table['$inferInsert'][K], undefined> };
  const all = getTableColumns(table);
  const columns = keys.map((key) => {
    const column = all[key];
    if (!column) throw new TypeError(`The table has no column for ${key}.`);
    return { key, column, name: sql.identifier(column.name) };
  });
  const separated = (parts: SQL[]) => sql.join(parts, sql`, `);

  const encode = (rows: readonly Given[]) =>
    JSON.stringify(
      rows.map((row) =>
        Object.fromEntries(
          columns.map(({ key, column }) => [
            column.name,
            row[key] === null || column.dataType === 'json' ? row[key] : encoded(column.mapToDriverValue(row[key])),
          ]),
        ),
      ),
    );
  const sourceOf = (json: SQL) => sql`json_populate_recordset(null::${table}, ${json}::json)`;

  return {
    names: separated(columns.map(({ name }) => sql`${name}`)),
    overwritten: separated(columns.map(({ name }) => sql`${name} = excluded.${name}`)),
    source: sourceOf(sql`${sql.placeholder('rows')}`),
    sourceNamed: (name) => sourceOf(sql`${sql.placeholder(name)}`),
    sourceOf: (rows) => sourceOf(sql`${encode(rows)}`),
    encode,
  };
}

function encoded(value: unknown): unknown {
  // The form in which PostgreSQL reads bytes from a text.
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
}
