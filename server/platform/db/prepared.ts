import { fillPlaceholders, type QueryWithTypings, SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Executor } from './database.ts';

/**
 * A statement that PostgreSQL parses once per connection. `build` receives the executor and ends in `.prepare(name)`;
 * the same name must always stand for the same text, or the driver refuses it.
 *
 * A statement belongs to the executor it was built on: one built on the pool and run inside a transaction would run
 * outside it. So one is kept for each executor: the pool, and each of its connections. Worth it for frequent statements.
 * Others are written with the plain builder.
 */
export function prepared<T extends object>(build: (executor: Executor) => T): (executor: Executor) => T {
  const kept = new WeakMap<Executor, T>();
  return (executor) => {
    const known = kept.get(executor);
    if (known) return known;
    const made = build(executor);
    kept.set(executor, made);
    return made;
  };
}

/**
 * A statement that no builder can say. Its text is written once. `text` holds `sql.placeholder`s; values go to the driver
 * as they are.
 */
export function statement<Row>(text: SQL) {
  const { sql: words, params } = dialect.sqlToQuery(text);
  return async (executor: Executor, values: Record<string, unknown> = {}): Promise<Row[]> => {
    const { rows } = await executor.execute(new Filled({ sql: words, params: fillPlaceholders(params, values) }));
    return rows as Row[];
  };
}

const dialect = new PgDialect();

/** SQL whose text and values are known: Drizzle need not write it again. */
class Filled extends SQL {
  readonly #query: QueryWithTypings;

  constructor(query: QueryWithTypings) {
    super([]);
    this.#query = query;
  }

  override toQuery(): QueryWithTypings {
    return this.#query;
  }
}
