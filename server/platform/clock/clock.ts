import { type SQL, sql } from 'drizzle-orm';
import type { Database, Executor } from '#server/platform/db/database.ts';

/**
 * What time it is. Everything that is written or compared takes its time from here and hands it to SQL as a value:
 * SQL's own `now()` does not know of the test clock.
 */
export type Clock = {
  /** The time in whole milliseconds. Inside a transaction, pass it: the answer then needs no second connection. */
  now(executor?: Executor): Promise<Date>;
};

/**
 * The database's clock, so that every machine that shares a database agrees. With the test clock, moved by the
 * offset that `everkept clock` keeps in `service_health`.
 *
 * `clock_timestamp()` and not `now()`: the latter stands still from the beginning of a transaction, which may have
 * waited long for a lock, and an activity must never seem older than the step that it stops.
 */
export function createDatabaseClock(db: Database, options: { testClock: boolean }): Clock {
  const read = options.testClock ? movedTime : databaseTime;
  return {
    async now(executor = db) {
      const { rows } = await executor.execute<{ ms: string }>(read);
      const ms = Number(rows[0]?.ms);
      if (!Number.isSafeInteger(ms)) throw new Error('The database did not say what time it is.');
      return new Date(ms);
    },
  };
}

const databaseTime: SQL = sql`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`;

const movedTime: SQL = sql`
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
    + coalesce((select clock_offset_ms from service_health where id = 1), 0) as ms`;

/** A clock that moves only when it is told to. For tests. */
export function createManualClock(start: Date): Clock & { advance(ms: number): void; set(date: Date): void } {
  let currentMs = start.getTime();
  return {
    now: async () => new Date(currentMs),
    advance(ms) {
      currentMs += ms;
    },
    set(date) {
      currentMs = date.getTime();
    },
  };
}
