import type pg from 'pg';

/** Timeouts in milliseconds. */
export type DatabaseLimits = {
  /** Longest run of one statement. */
  statementMs: number;
  /** Longest wait for a lock of another transaction. */
  lockMs: number;
  /** Longest pause between two statements of a transaction. */
  idleMs: number;
};

/**
 * Pooler between us and PostgreSQL. `session`: each of our connections keeps one of the pooler's. `transaction`: each
 * transaction may get another one.
 */
export type Pooler = 'none' | 'session' | 'transaction';

export const defaultLimits: DatabaseLimits = { statementMs: 30_000, lockMs: 10_000, idleMs: 30_000 };

/** Silence after which TCP sends its first keep-alive probe, which also keeps a firewall from dropping the connection. */
const keepAliveAfterMs = 10_000;
/** Keep-alive of PostgreSQL's side, in seconds. By default it waits two hours before its first probe. */
const serverKeepAlive = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/**
 * Settings of each pooled connection, so that no wait is unlimited. A pooler refuses them in the startup message, so it
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
  // The driver has a limit for each statement, which its types do not declare.
  const settings: pg.QueryConfig & { query_timeout: number } = {
    text: settingsOf(limits, 'session'),
    query_timeout: limits.lockMs,
  };
  return { ...keepAlive, onConnect: (client) => client.query(settings) };
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
