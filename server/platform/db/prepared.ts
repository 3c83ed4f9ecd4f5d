import type { Executor } from './database.ts';

/**
 * A statement that PostgreSQL parses once per connection. `build` receives the executor and ends in `.prepare(name)`;
 * the same name must always stand for the same text, or the driver refuses it.
 *
 * A statement belongs to the executor it was built on: one built on the pool and run inside a transaction would
 * run outside it. So one is kept for each executor, for as long as that lives.
 */
export function prepared<T extends object>(build: (executor: Executor) => T): (executor: Executor) => T {
  const kept = new WeakMap<Executor, T>();

  return (executor) => {
    const known = kept.get(executor);
    if (known) return known;

    const statement = build(executor);
    kept.set(executor, statement);
    return statement;
  };
}
