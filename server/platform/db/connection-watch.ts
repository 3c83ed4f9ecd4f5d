import pg from 'pg';
import { type DatabaseLimits, type Pooler, settingsOf } from './limits.ts';
import { createStatementNames, type StatementNames } from './statement-names.ts';

/** A connection was closed because no answer came back on it. */
export class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
  /** Code of a connection failure (PostgreSQL manual, appendix A), after which the call may succeed on another one. */
  readonly code = '08006';

  constructor() {
    super('The connection to the database went silent, and was given up.');
  }
}

export type ConnectionWatch = {
  /** Silent connections that were closed since this process began. */
  silences(): Silences;
  close(): void;
};

/** Number of silent connections that were closed, and the time of the last one. */
export type Silences = { count: number; lastAt: Date | null };

export type ConnectionWatchOptions = {
  /** Settings for a connection outside the pool, over which PostgreSQL is asked about the pool's statements. */
  connection: pg.PoolConfig;
  limits: DatabaseLimits;
  pooler: Pooler;
  onSilent: (connections: number) => void;
  /** Shorter times for tests. */
  pace?: WatchPace | undefined;
};

type Watched = {
  client: pg.PoolClient;
  /** True if a caller has taken the connection from the pool. */
  isInUse: boolean;
  /** Statements without an answer yet, oldest first, with the time at which each was sent. */
  pending: Set<{ sinceMs: number }>;
  /** True if its transaction has lifted the time limit of statements (`takesLong`). */
  isUnlimited: boolean;
};

/** Longest wait for PostgreSQL's report about statements. */
const reportTimeoutMs = 3_000;
export type WatchPace = {
  lookEveryMs: number;
  /** Time without an answer after which PostgreSQL is asked about the statement. */
  doubtAfterMs: number;
  /** If PostgreSQL was idle for this time although we wait, the statement or its answer was lost. */
  idleForMs: number;
  /** Time after PostgreSQL's limit of a statement at which our own limit ends the wait without its report. */
  graceMs: number;
};

const usualPace: WatchPace = { lookEveryMs: 1_000, doubtAfterMs: 3_000, idleForMs: 2_000, graceMs: 5_000 };

/**
 * Finds open connections that are dead, for example after a power cut, and closes them. Otherwise the driver would wait
 * permanently, and PostgreSQL would keep their locks. A slow statement is left to the limits of its session.
 */
export function watchConnections(pool: pg.Pool, options: ConnectionWatchOptions): ConnectionWatch {
  const { limits, pooler, onSilent, pace = usualPace } = options;
  const watched = new Map<pg.PoolClient, Watched>();
  const silences: Silences = { count: 0, lastAt: null };
  const names = createStatementNames();
  let isLooking = false;

  pool.on('connect', (client) => {
    const one: Watched = { client, isInUse: false, pending: new Set(), isUnlimited: false };
    watched.set(client, one);
    client.once('end', () => watched.delete(client));
    watchStatements(one, { limits, pooler, names });
  });
  const setInUse = (client: pg.PoolClient, isInUse: boolean) => {
    const one = watched.get(client);
    if (one) one.isInUse = isInUse;
  };
  pool.on('acquire', (client) => setInUse(client, true));
  pool.on('release', (_error, client) => setInUse(client, false));

  async function look(): Promise<void> {
    const waiting = [...watched.values()].filter(({ pending }) => waitedMs(pending) >= pace.doubtAfterMs);
    if (waiting.length === 0) return;
    const lost = pooler === 'none' ? await findLost(options, waiting) : [];
    const latest = limits.statementMs + pace.graceMs;
    const late = waiting.filter(({ pending, isUnlimited }) => !isUnlimited && waitedMs(pending) > latest);
    closeSilent([...new Set([...lost, ...late])]);
  }

  function closeSilent(lost: readonly Watched[]): void {
    if (lost.length === 0) return;
    silences.count += lost.length;
    silences.lastAt = new Date();
    onSilent(lost.length);
    // Idle connections of the pool are probably lost too, and a new one costs little.
    const idle = [...watched.values()].filter(({ isInUse }) => !isInUse);
    const error = new SilentConnectionError();
    for (const { client } of [...lost, ...idle]) insidesOf(client).connection.stream.destroy(error);
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, pace.lookEveryMs);
  timer.unref();
  return { silences: () => ({ ...silences }), close: () => clearInterval(timer) };
}

/** Returns connections on which PostgreSQL runs no statement. PostgreSQL ends their processes, which frees their locks. */
async function findLost(
  { connection, pace = usualPace }: ConnectionWatchOptions,
  waiting: readonly Watched[],
): Promise<Watched[]> {
  const suspects = waiting.map((one) => ({ one, sent: oldest(one.pending), pid: insidesOf(one.client).processID }));
  const pids = suspects.map(({ pid }) => pid);
  const working = await endIdle(connection, { pids, idleForMs: pace.idleForMs });
  if (working === null) return [];
  // The answer to a statement may have come meanwhile.
  return suspects.flatMap(({ one, sent, pid }) => (oldest(one.pending) === sent && !working.has(pid) ? [one] : []));
}

/**
 * Ends those of PostgreSQL's processes in `pids` that have been idle for `idleForMs`, and returns the ones still at work.
 * Null if the database can't be reached.
 */
async function endIdle(
  connection: pg.PoolConfig,
  { pids, idleForMs }: { pids: readonly number[]; idleForMs: number },
): Promise<ReadonlySet<number> | null> {
  const client = new pg.Client({
    ...connection,
    application_name: 'everkept watch',
    connectionTimeoutMillis: reportTimeoutMs,
    query_timeout: reportTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; ended: boolean }>(
      `select pid, case when state like 'idle%' and state_change < clock_timestamp() - $2 * interval '1 millisecond'
         then pg_terminate_backend(pid) else false end as ended
       from pg_stat_activity
       where pid = any($1::int[]) and usename = current_user and datname = current_database()`,
      [pids, idleForMs],
    );
    return new Set(rows.flatMap(({ pid, ended }) => (ended ? [] : [pid])));
  } catch {
    // Without a report, only our own limit (`graceMs`) ends the wait.
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}

type Query = (statement: unknown, values?: unknown, done?: unknown) => unknown;
type Done = (error: unknown, result: unknown) => void;

type Sending = Pick<ConnectionWatchOptions, 'limits' | 'pooler'> & { names: StatementNames };

/** Wraps a connection's `query`: records each statement until its answer comes, and adapts it to the pooler. */
function watchStatements(one: Watched, sending: Sending): void {
  const query = one.client.query.bind(one.client) as unknown as Query;
  const watchedQuery: Query = (given, values, done) => {
    const statement = adaptedTo(sending, given, values);
    const text = textOf(statement);
    if (liftsLimit.test(text)) one.isUnlimited = true;
    else if (startsOrEndsTransaction.test(text)) one.isUnlimited = false;
    const entry = { sinceMs: performance.now() };
    one.pending.add(entry);
    const answered = () => void one.pending.delete(entry);
    const beforeDone = (callback: Done): Done => {
      return (error, result) => {
        answered();
        callback(error, result);
      };
    };
    // The driver accepts a callback as its second or third argument. Without one it returns a promise.
    if (typeof values === 'function') return query(statement, beforeDone(values as Done));
    if (typeof done === 'function') return query(statement, values, beforeDone(done as Done));
    const answer = query(statement, values) as Promise<unknown>;
    answer.then(answered, answered);
    return answer;
  };
  one.client.query = watchedQuery as typeof one.client.query;
}

/** Beginning of `takesLong`. */
const liftsLimit = /^set local statement_timeout = 0/;
const startsOrEndsTransaction = /^(?:begin|commit|rollback)\b/;

/**
 * Adds the name of a prepared statement. A transaction pooler may give the next statement to another process, which has
 * neither names nor session limits. Then statements get no name, and each transaction sets its limits first.
 */
function adaptedTo({ limits, pooler, names }: Sending, given: unknown, values: unknown): unknown {
  const text = textOf(given);
  if (pooler === 'transaction') {
    const limited = /^begin\b/.test(text) ? `${text}; ${settingsOf(limits, 'local')}` : text;
    return typeof given === 'string' ? limited : { ...(given as object), name: undefined, text: limited };
  }
  const statement = typeof given === 'string' ? { text: given } : (given as pg.QueryConfig);
  const name = statement.name ?? names(text, statement.values ?? values);
  return name === undefined ? given : { ...statement, name };
}

function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : String((statement as { text?: unknown } | null)?.text ?? '');
}

/** Fields of the driver that its types do not declare. */
function insidesOf(client: pg.PoolClient): { processID: number; connection: pg.Connection } {
  return client as unknown as { processID: number; connection: pg.Connection };
}

function oldest(pending: Watched['pending']): { sinceMs: number } | undefined {
  const [first] = pending;
  return first;
}

function waitedMs(pending: Watched['pending']): number {
  const first = oldest(pending);
  return first ? performance.now() - first.sinceMs : 0;
}
