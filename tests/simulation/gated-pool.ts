import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Life, Turns } from './turns.ts';

/** A connection that outlives the processes that use it. */
export type Line = {
  client: pg.Client;
  backend: number;
  /** True if a statement can meet a lock: only open transactions hold locks. */
  canWait: () => boolean;
  isIdle: () => boolean;
  unlessHeldUp: <Result>(act: () => Promise<Result>) => Promise<{ result: Result } | null>;
};

type Query = Parameters<pg.Client['query']>;
type Lease = { query(...query: Query): Promise<unknown>; release(): void };

/**
 * A pool for Drizzle on existing connections, in which each statement waits for its turn. Its name matters: Drizzle
 * knows a pool by its class, or by the word in its name.
 */
export class GatedPool {
  readonly #turns: Turns;
  readonly #life: Life;
  readonly #free: Line[];
  readonly #waiting: ((line: Line) => void)[] = [];

  constructor(turns: Turns, life: Life, lines: readonly Line[]) {
    this.#turns = turns;
    this.#life = life;
    this.#free = [...lines];
  }

  async connect(): Promise<Lease> {
    // The one that was used last: its server process knows the tables and has its plans.
    const line = this.#free.pop() ?? (await new Promise<Line>((resolve) => this.#waiting.push(resolve)));
    let isReleased = false;
    return {
      query: (...query) => {
        const words = wordsOf(query[0]);
        const turnLine = { ...line, isControl: isControl.test(words) };
        return this.#turns.take(this.#life, words, () => ask(line.client, query), turnLine);
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        const next = this.#waiting.shift();
        if (next) next(line);
        else this.#free.push(line);
      },
    };
  }

  async query(...query: Query): Promise<unknown> {
    const lease = await this.connect();
    try {
      return await lease.query(...query);
    } finally {
      lease.release();
    }
  }
}

async function ask(client: pg.Client, [query, values, ...rest]: Query): Promise<unknown> {
  return client.query(...([withName(query, values), values, ...rest] as Query));
}

/** Statements that never wait for a lock. */
const isControl = /^(begin|commit|rollback|savepoint|release)\b/i;

const names = new Map<string, string>();

/** PostgreSQL parses and plans a statement once for each connection: a simulated year asks the same things all the time. */
function withName(query: unknown, values: unknown): unknown {
  const { text, name } = query as { text?: string; name?: string };
  if (typeof query !== 'object' || !text || name || !Array.isArray(values) || values.length === 0) return query;
  const known = names.get(text) ?? createHash('sha256').update(text).digest('base64url').slice(0, 40);
  names.set(text, known);
  return { ...query, name: known };
}

const wordsMax = 60;

/** Start of a statement for the trace, without values. */
function wordsOf(query: unknown): string {
  const text = typeof query === 'string' ? query : (query as { text?: string }).text;
  return (text ?? '').trim().replace(/\s+/g, ' ').slice(0, wordsMax);
}

/** Plans are made for tables that are still empty, and kept: they are to be those for tables that are not. */
const planning = "set plan_cache_mode = 'force_generic_plan'; set enable_seqscan = off; set jit = off";

/** `others` are all the connections to this database, once they are there. */
export async function openLine(connection: pg.ClientConfig, others: readonly Line[]): Promise<Line> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(planning);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const isIdle = ({ client }: Line) => client.getTransactionStatus() === 'I';
  const line: Line = {
    client,
    backend: rows[0]?.pid ?? 0,
    canWait: () => others.some((other) => other !== line && !isIdle(other)),
    isIdle: () => isIdle(line),
    unlessHeldUp: (act) => unlessHeldUp(client, act),
  };
  return line;
}

/** A lock is had at once or not while we ask, since no one else does anything meanwhile. */
const hurry = "lock_timeout = '1ms'";
/** PostgreSQL's lock_not_available. */
const isHeldUp = (error: unknown) => (error as { code?: string }).code === '55P03';

async function unlessHeldUp<Result>(client: pg.Client, act: () => Promise<Result>): Promise<{ result: Result } | null> {
  const isInside = client.getTransactionStatus() === 'T';
  await client.query(isInside ? `savepoint before; set local ${hurry}` : `set ${hurry}`);
  try {
    const result = await act();
    await client.query(isInside ? 'set local lock_timeout = 0; release savepoint before' : 'reset lock_timeout');
    return { result };
  } catch (error) {
    if (!isInside) await client.query('reset lock_timeout');
    // Any other failure ends the transaction that it is part of, as it always does.
    else if (isHeldUp(error)) await client.query('rollback to savepoint before; release savepoint before');
    if (isHeldUp(error)) return null;
    throw error;
  }
}
