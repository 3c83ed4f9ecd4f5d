import { NodePgDatabase, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import { type PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { type Silences, type WatchPace, watchConnections } from './connection-watch.ts';
import { FairPool } from './fair-pool.ts';
import { type DatabaseLimits, defaultLimits, limitedConnection, type Pooler } from './limits.ts';
import { PoolSession } from './pool-session.ts';

type NoRelations = Record<string, never>;

/** The pool, seen through Drizzle. `transaction` starts one on a connection of its own. */
export type Database = NodePgDatabase<NoRelations>;

/** Database or open transaction of the caller, as repositories accept it. */
export type Executor = PgDatabase<NodePgQueryResultHKT, NoRelations>;

export type OpenDatabase = {
  db: Database;
  pool: pg.Pool;
  /** Pooler in between. */
  pooler: Pooler;
  /** Counts of connections that were dropped after silence. */
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
  /** Pooler in between; `none` if left out. */
  pooler?: Pooler;
  /** Pace of the check for silent connections; quicker in tests. */
  pace?: WatchPace;
};

const connectTimeoutMs = 10_000;
const idleTimeoutMs = 30_000;

const dialect = new PgDialect();

/** Opens a pool. Nothing is contacted before the first query. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { connection, maxConnections, onError, onSilent = () => {} } = options;
  const { limits = defaultLimits, pooler = 'none', pace } = options;
  const pool = new FairPool({
    ...limitedConnection(limits, pooler),
    idleTimeoutMillis: idleTimeoutMs,
    application_name: 'everkept',
    ...connection,
    connectionTimeoutMillis: connectTimeoutMs,
    max: maxConnections,
  });

  // An 'error' event without a listener ends the process. The pool listens to idle connections only, and a connection
  // that breaks between two statements reports to itself. So every connection gets a permanent listener.
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
    db: new NodePgDatabase(dialect, new PoolSession(pool, dialect), undefined),
    pool,
    pooler,
    silences: watch.silences,
    close: async () => {
      await pool.end();
      watch.close();
    },
  };
}
