import type pg from 'pg';

/** Timeouts in milliseconds. */
export type DatabaseLimits = {
  /** One statement. */
  statementMs: number;
  /** Waiting for what another transaction holds. */
  lockMs: number;
  /** A transaction in which nothing is asked. */
  idleMs: number;
};

/**
 * Pooler between us and PostgreSQL. `session`: we keep one of its connections as long as ours. `transaction`: one per
 * transaction.
 */
export type Pooler = 'none' | 'session' | 'transaction';

export const defaultLimits: DatabaseLimits = { statementMs: 30_000, lockMs: 10_000, idleMs: 30_000 };

/** The first word to a peer of whom nothing is heard; also how soon a firewall sees that a quiet connection lives. */
const keepAliveAfterMs = 10_000;
/** Keep-alive of PostgreSQL's side, which by default waits two hours before its first probe. */
const serverKeepAlive = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/**
 * Settings of each pooled connection, so that no wait is unlimited. A pooler refuses settings in the greeting, and
 * gets them as statements.
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

/** The limits as statements, for the session or for the transaction that has just begun. */
export function settingsOf({ statementMs, lockMs, idleMs }: DatabaseLimits, scope: 'session' | 'local'): string {
  return [
    `set ${scope} statement_timeout = ${statementMs}`,
    `set ${scope} lock_timeout = ${lockMs}`,
    `set ${scope} idle_in_transaction_session_timeout = ${idleMs}`,
  ].join('; ');
}

/**
 * Start of a transaction that is long by nature, such as a backup or the check of a whole log. Statements and idle
 * time are unlimited then; waits for locks stay limited.
 */
export const takesLong = 'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0';
