import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { type Silences, type WatchPace, watchConnections } from './connection-watch.ts';
import { type DatabaseLimits, defaultLimits, limitedConnection, type Pooler } from './limits.ts';

type NoRelations = Record<string, never>;

/** The pool, seen through Drizzle. `transaction` starts one on a connection of its own. */
export type Database = NodePgDatabase<NoRelations>;

/** What a repository takes: the database, or the transaction its caller has opened. */
export type Executor = PgDatabase<NodePgQueryResultHKT, NoRelations>;

export type OpenDatabase = {
  db: Database;
  pool: pg.Pool;
  /** How often connections were given up on which nothing was heard any more. */
  silences(): Silences;
  /** Waits for queries under way, then gives every connection back. */
  close: () => Promise<void>;
};

export type DatabaseOptions = {
  connection: pg.PoolConfig;
  maxConnections: number;
  /** Told once of each connection that broke outside a query; the pool has replaced it already. */
  onError: (error: Error) => void;
  /** Told how many connections went silent and were given up. */
  onSilent?: (connections: number) => void;
  limits?: DatabaseLimits;
  /** What stands in between; nothing where it is left out. */
  pooler?: Pooler;
  /** How soon a silent connection is found; quicker in tests. */
  pace?: WatchPace;
};

const connectTimeoutMs = 10_000;
const idleTimeoutMs = 30_000;

/** Opens a pool. Nothing is contacted before the first query. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { connection, maxConnections, onError, onSilent = () => {} } = options;
  const { limits = defaultLimits, pooler = 'none', pace } = options;
  const pool = new pg.Pool({
    ...limitedConnection(limits, pooler),
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    application_name: 'everkept',
    ...connection,
    max: maxConnections,
  });

  // An 'error' event nobody listens to ends the process. The pool listens to its idle connections only; one that
  // breaks between two statements of a transaction reports to itself, so every connection gets a listener for life.
  const reported = new WeakSet<Error>();
  const report = (error: Error) => {
    if (reported.has(error)) return;
    reported.add(error);
    onError(error);
  };
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));

  const watch = watchConnections(pool, { connection, limits, pooler, onSilent, pace });
  return {
    db: drizzle({ client: pool }),
    pool,
    silences: watch.silences,
    close: async () => {
      await pool.end();
      watch.close();
    },
  };
}
