import pg from 'pg';
import { type DatabaseLimits, type Pooler, settingsOf } from './limits.ts';
import { createStatementNames, type StatementNames } from './statement-names.ts';

/** A connection that was given up because nothing came back on it. */
export class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
  /** A connection exception (PostgreSQL manual, appendix A): the same call may succeed on another one. */
  readonly code = '08006';

  constructor() {
    super('The connection to the database went silent, and was given up.');
  }
}

export type ConnectionWatch = {
  /** Connections that went silent and were given up since this process began, and when the last of them was. */
  silences(): Silences;
  close(): void;
};

export type Silences = { count: number; lastAt: Date | null };

export type ConnectionWatchOptions = {
  /** For a connection beside the pool. */
  connection: pg.PoolConfig;
  limits: DatabaseLimits;
  pooler: Pooler;
  onSilent: (connections: number) => void;
  /** Quicker, for tests. */
  pace?: WatchPace | undefined;
};

type Watched = {
  client: pg.PoolClient;
  isLent: boolean;
  /** Since when each statement waits for its answer, oldest first. */
  asked: Set<{ sinceMs: number }>;
  /** Its transaction has said that its statements take long. */
  isPatient: boolean;
};

const askTimeoutMs = 3_000;
export type WatchPace = {
  lookEveryMs: number;
  /** Time without an answer after which PostgreSQL is asked about the statement, over another connection. */
  doubtAfterMs: number;
  /** PostgreSQL has had nothing to do for us for so long while we wait: either the question or its answer was lost. */
  idleForMs: number;
  /** PostgreSQL's own limit of a statement comes first; ours, so much later, is for when nothing is heard from it at all. */
  graceMs: number;
};

const usualPace: WatchPace = { lookEveryMs: 1_000, doubtAfterMs: 3_000, idleForMs: 2_000, graceMs: 5_000 };

/**
 * Finds connections that are open and dead: a cable that was pulled, a primary without power, a firewall that forgot them. The
 * driver would wait on them for ever, and PostgreSQL would keep what their transactions had locked. Slow is not silent: a
 * statement that PostgreSQL still works at is left to the limits of its session.
 */
export function watchConnections(pool: pg.Pool, options: ConnectionWatchOptions): ConnectionWatch {
  const { limits, pooler, onSilent, pace = usualPace } = options;
  const watched = new Map<pg.PoolClient, Watched>();
  const given: Silences = { count: 0, lastAt: null };
  const names = createStatementNames();
  let isLooking = false;

  pool.on('connect', (client) => {
    const one: Watched = { client, isLent: false, asked: new Set(), isPatient: false };
    watched.set(client, one);
    client.once('end', () => watched.delete(client));
    noteQuestions(one, { limits, pooler, names });
  });
  const lend = (client: pg.PoolClient, isLent: boolean) => {
    const one = watched.get(client);
    if (one) one.isLent = isLent;
  };
  pool.on('acquire', (client) => lend(client, true));
  pool.on('release', (_error, client) => lend(client, false));

  async function look(): Promise<void> {
    const waiting = [...watched.values()].filter(({ asked }) => waitedMs(asked) >= pace.doubtAfterMs);
    if (waiting.length === 0) return;
    const lost = pooler === 'none' ? await findLost(options, waiting) : [];
    const latest = limits.statementMs + pace.graceMs;
    const late = waiting.filter(({ asked, isPatient }) => !isPatient && waitedMs(asked) > latest);
    giveUp([...new Set([...lost, ...late])]);
  }

  function giveUp(lost: readonly Watched[]): void {
    if (lost.length === 0) return;
    given.count += lost.length;
    given.lastAt = new Date();
    onSilent(lost.length);
    // Idle connections of the pool are probably lost too, and a new one costs little.
    const idle = [...watched.values()].filter(({ isLent }) => !isLent);
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
  return { silences: () => ({ ...given }), close: () => clearInterval(timer) };
}

/** Connections that PostgreSQL reports as not working. It ends them, so that their locks are released. */
async function findLost(
  { connection, pace = usualPace }: ConnectionWatchOptions,
  waiting: readonly Watched[],
): Promise<Watched[]> {
  const questions = waiting.map((one) => ({ one, asked: oldest(one.asked), pid: insidesOf(one.client).processID }));
  const pids = questions.map(({ pid }) => pid);
  const working = await endIdle(connection, { pids, idleForMs: pace.idleForMs });
  if (working === null) return [];
  // An answer may have come while we asked.
  return questions.flatMap(({ one, asked, pid }) => (oldest(one.asked) === asked && !working.has(pid) ? [one] : []));
}

/** Connections that are working, or were a moment ago. The others are ended. Null if the database can't be asked. */
async function endIdle(
  connection: pg.PoolConfig,
  { pids, idleForMs }: { pids: readonly number[]; idleForMs: number },
): Promise<ReadonlySet<number> | null> {
  const client = new pg.Client({
    ...connection,
    application_name: 'everkept watch',
    connectionTimeoutMillis: askTimeoutMs,
    query_timeout: askTimeoutMs,
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
    // The caller fails with the statement timeout.
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}

type Ask = (question: unknown, values?: unknown, done?: unknown) => unknown;
type Done = (error: unknown, result: unknown) => void;

type SaidTo = Pick<ConnectionWatchOptions, 'limits' | 'pooler'> & { names: StatementNames };

/** Has each statement of a connection noted while it waits for its answer, and said as the pooler in between wants it. */
function noteQuestions(one: Watched, to: SaidTo): void {
  const ask = one.client.query.bind(one.client) as unknown as Ask;
  const noted: Ask = (given, values, done) => {
    const question = saidTo(to, given, values);
    const text = textOf(question);
    if (isPatience.test(text)) one.isPatient = true;
    else if (isEnd.test(text)) one.isPatient = false;
    const entry = { sinceMs: performance.now() };
    one.asked.add(entry);
    const answered = () => void one.asked.delete(entry);
    const heard = (callback: Done): Done => {
      return (error, result) => {
        answered();
        callback(error, result);
      };
    };
    if (typeof values === 'function') return ask(question, heard(values as Done));
    if (typeof done === 'function') return ask(question, values, heard(done as Done));
    const answer = ask(question, values) as Promise<unknown>;
    answer.then(answered, answered);
    return answer;
  };
  one.client.query = noted as typeof one.client.query;
}

const isPatience = /^set local statement_timeout = 0/;
const isEnd = /^(?:begin|commit|rollback)\b/;

/**
 * A transaction pooler may give the next statement to another process. That process has neither the prepared names
 * nor the session limits. So statements get no name, and each transaction sets its limits first.
 */
function saidTo({ limits, pooler, names }: SaidTo, question: unknown, values: unknown): unknown {
  const text = textOf(question);
  if (pooler === 'transaction') {
    const said = /^begin\b/.test(text) ? `${text}; ${settingsOf(limits, 'local')}` : text;
    return typeof question === 'string' ? said : { ...(question as object), name: undefined, text: said };
  }
  const asked = typeof question === 'string' ? { text } : (question as pg.QueryConfig);
  const name = asked.name ?? names(text, asked.values ?? values);
  return name === undefined ? question : { ...asked, name };
}

function textOf(question: unknown): string {
  return typeof question === 'string' ? question : String((question as { text?: unknown } | null)?.text ?? '');
}

/** Fields of the driver that its types do not declare. */
function insidesOf(client: pg.PoolClient): { processID: number; connection: pg.Connection } {
  return client as unknown as { processID: number; connection: pg.Connection };
}

function oldest(asked: Watched['asked']): { sinceMs: number } | undefined {
  const [first] = asked;
  return first;
}

function waitedMs(asked: Watched['asked']): number {
  const first = oldest(asked);
  return first ? performance.now() - first.sinceMs : 0;
}
