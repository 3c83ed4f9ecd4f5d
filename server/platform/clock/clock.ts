import { type SQL, sql } from 'drizzle-orm';
import type { Database, Executor } from '#server/platform/db/database.ts';

/**
 * Current time. All stored and compared times come from here and go to SQL as values, because SQL's `now()` ignores
 * the test clock.
 */
export type Clock = {
  /** The time in whole milliseconds. Inside a transaction, pass it: the answer then needs no second connection. */
  now(executor?: Executor): Promise<Date>;
};

/** Clock of an `App`. */
export type AppClock = Clock & {
  /** The time as it was read within the last second, for questions that each request asks. */
  recent(): Promise<Date>;
};

const recentMs = 1_000;

/**
 * The database's clock, so that all machines agree. With the test clock, the offset of `everkept clock` in
 * `service_health` is added. It uses `clock_timestamp()`, because `now()` is fixed at the start of a transaction,
 * which may have waited for a lock. An activity must never seem older than the step that it stops.
 */
export function createDatabaseClock(db: Database, options: { testClock: boolean }): AppClock {
  const read = options.testClock ? movedTime : databaseTime;
  const now = async (executor: Executor = db) => {
    const { rows } = await executor.execute<{ ms: string }>(read);
    const ms = Number(rows[0]?.ms);
    if (!Number.isSafeInteger(ms)) throw new Error('The database did not say what time it is.');
    return new Date(ms);
  };
  return { now, recent: readSometimes(now) };
}

/** Reads `now` once a second, and adds the time that this machine has counted since. */
function readSometimes(now: () => Promise<Date>): () => Promise<Date> {
  let known: { atMs: number; offsetMs: number } | undefined;
  return async () => {
    const machineMs = Date.now();
    if (known && Math.abs(machineMs - known.atMs) < recentMs) return new Date(machineMs + known.offsetMs);
    const time = await now();
    known = { atMs: machineMs, offsetMs: time.getTime() - machineMs };
    return time;
  };
}

const databaseTime: SQL = sql`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`;

const movedTime: SQL = sql`
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
    + coalesce((select clock_offset_ms from service_health where id = 1), 0) as ms`;

/** A clock for tests that moves only on demand. */
export function createManualClock(start: Date): AppClock & { advance(ms: number): void; set(date: Date): void } {
  let currentMs = start.getTime();
  const now = async () => new Date(currentMs);
  return {
    now,
    recent: now,
    advance(ms) {
      currentMs += ms;
    },
    set(date) {
      currentMs = date.getTime();
    },
  };
}
