import type pg from 'pg';

/** How long each of these may take before it is given up, in milliseconds. */
export type DatabaseLimits = {
  /** One statement. */
  statementMs: number;
  /** Waiting for what another transaction holds. */
  lockMs: number;
  /** A transaction in which nothing is asked. */
  idleMs: number;
};

/**
 * What stands between us and PostgreSQL: nothing, or a pooler that gives us one of its connections for as long as we keep
 * ours (`session`), or for one transaction at a time (`transaction`).
 */
export type Pooler = 'none' | 'session' | 'transaction';

export const defaultLimits: DatabaseLimits = { statementMs: 30_000, lockMs: 10_000, idleMs: 30_000 };

/** The first word to a peer of whom nothing is heard; also how soon a firewall sees that a quiet connection lives. */
const keepAliveAfterMs = 10_000;
/** The same for PostgreSQL's end, which by its own default waits two hours before it asks whether we are still there. */
const serverKeepAlive = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/**
 * How each connection of the pool is opened, so that nothing on it waits without a limit. A pooler refuses settings that come
 * with the greeting; it gets them as statements.
 */
export function limitedConnection(limits: DatabaseLimits, pooler: Pooler): pg.PoolConfig {
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: keepAliveAfterMs };
  if (pooler === 'none') {
    return {
      ...keepAlive,
      statement_timeout: limits.statementMs,
      lock_timeout: limits.lockMs,
      idle_in_transaction_session_timeout: limits.idleMs,
      options: serverKeepAlive,
    };
  }
  if (pooler === 'transaction') return keepAlive;
  // The driver knows a limit for each statement, and its types do not.
  const said: pg.QueryConfig & { query_timeout: number } = {
    text: settingsOf(limits, 'session'),
    query_timeout: limits.lockMs,
  };
  return { ...keepAlive, onConnect: (client) => client.query(said) };
}

/** The same limits as statements, for the whole session or for the transaction that has just begun. */
export function settingsOf({ statementMs, lockMs, idleMs }: DatabaseLimits, scope: 'session' | 'local'): string {
  return [
    `set ${scope} statement_timeout = ${statementMs}`,
    `set ${scope} lock_timeout = ${lockMs}`,
    `set ${scope} idle_in_transaction_session_timeout = ${idleMs}`,
  ].join('; ');
}

/**
 * To be said at the beginning of a transaction that is long by its nature: a backup, the check of a whole log. Each of its
 * statements, and the time between two of them, may then take as long as it takes; what it waits for others may not.
 */
export const takesLong = 'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0';
