import pg from 'pg';
import type { Life, Turns } from './turns.ts';

/** A connection that outlives the processes that use it. */
export type Line = { client: pg.Client; backend: number };

type Query = Parameters<pg.Client['query']>;
type Lease = { query(...query: Query): Promise<unknown>; release(): void };

/**
 * What Drizzle takes for a pool, on connections that are there already: each statement waits for its turn. Its name
 * matters: Drizzle knows a pool by its class or by the word in the name of it.
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
    const line = this.#free.shift() ?? (await new Promise<Line>((resolve) => this.#waiting.push(resolve)));
    let isReleased = false;
    return {
      query: (...query) => this.#turns.take(this.#life, wordsOf(query[0]), () => ask(line.client, query), line.backend),
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

async function ask(client: pg.Client, query: Query): Promise<unknown> {
  return client.query(...query);
}

const wordsMax = 60;

/** What the trace says of a statement: its beginning, which holds no value. */
function wordsOf(query: unknown): string {
  const text = typeof query === 'string' ? query : (query as { text?: string }).text;
  return (text ?? '').trim().replace(/\s+/g, ' ').slice(0, wordsMax);
}

export async function openLine(connection: pg.ClientConfig): Promise<Line> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { client, backend: rows[0]?.pid ?? 0 };
}
