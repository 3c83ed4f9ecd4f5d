import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Executor } from './database.ts';

/**
 * A statement that PostgreSQL parses once per connection. `build` receives the executor and ends in `.prepare(name)`;
 * the same name must always stand for the same text, or the driver refuses it.
 *
 * A statement belongs to the executor it was built on: one built on the pool and run inside a transaction would
 * run outside it. So one is kept for each executor, for as long as that lives. The text is put together only once,
 * since every transaction is an executor of its own and Drizzle takes longer to write a statement than to send it.
 */
export function prepared<T extends object>(build: (executor: Executor) => T): (executor: Executor) => T {
  const kept = new WeakMap<Executor, T>();
  let first: T | undefined;

  return (executor) => {
    const known = kept.get(executor);
    if (known) return known;

    first ??= build(executor);
    const statement = boundTo(executor, first);
    kept.set(executor, statement);
    return statement;
  };
}

/** The same for SQL that no builder can say. `text` holds `sql.placeholder`s; values go to the driver as they are. */
export function preparedSql<Row>(name: string, text: SQL) {
  const query = dialect.sqlToQuery(text);
  const statement = prepared((executor) =>
    executor._.session.prepareQuery<{ execute: { rows: Row[] }; all: unknown; values: unknown }>(
      query,
      undefined,
      name,
      false,
    ),
  );
  return async (executor: Executor, values: Record<string, unknown> = {}): Promise<Row[]> =>
    (await statement(executor).execute(values)).rows;
}

/**
 * A statement without parameters, to be run again and again, whose rows come as arrays and not as objects: for reading
 * so many that making the objects is most of the work.
 */
export function rowsAsArrays<Row extends readonly unknown[]>(executor: Executor, text: string): () => Promise<Row[]> {
  const query = executor._.session.prepareQuery<{ execute: Row[]; all: unknown; values: unknown }>(
    { sql: text, params: [] },
    undefined,
    undefined,
    true,
    (rows) => rows as unknown as Row[],
  );
  return () => query.execute();
}

const dialect = new PgDialect();

/** All that a statement of the node-postgres driver knows of the executor it was built on. */
type Ties = { client: unknown; logger: unknown };

/** A statement that was built, on the connection of another executor. Drizzle itself offers no way to do this. */
function boundTo<T extends object>(executor: Executor, statement: T): T {
  const { session } = executor._;
  if (!hasTies(session) || !hasTies(statement)) throw new Error('This is no statement of the node-postgres driver.');
  return Object.create(statement, { client: { value: session.client }, logger: { value: session.logger } });
}

function hasTies(part: object): part is Ties {
  return 'client' in part && 'logger' in part;
}
