import pg from 'pg';
import { createSlots, type Give } from '#server/platform/slots.ts';
import { AppError } from '#shared/contract/errors.ts';

type Lent = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (error?: Error | boolean) => void,
) => void;

/** Calls that may wait for a connection. One more refuses the last of the longest line. */
const waitingMax = 2_000;
const busyRetrySeconds = 5;

/**
 * A pool that lends to clients in turn. One account or network has at most half of the connections, because its
 * transactions may all wait for one row that it has locked.
 */
export class FairPool extends pg.Pool {
  readonly #slots;
  readonly #waitMaxMs: number;
  readonly #gives = new WeakMap<pg.PoolClient, Give>();

  constructor(config: pg.PoolConfig & { max: number; connectionTimeoutMillis: number }) {
    super(config);
    const { max, connectionTimeoutMillis } = config;
    this.#waitMaxMs = connectionTimeoutMillis;
    this.#slots = createSlots({ slotsMax: max, shareMax: Math.ceil(max / 2), waitingMax, full: tooManyWait });
    this.on('release', (_error, client) => this.#gives.get(client)?.());
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(lent: Lent): void;
  override connect(lent?: Lent): Promise<pg.PoolClient> | undefined {
    const client = this.#lend();
    if (!lent) return client;
    client.then(
      (one) => lent(undefined, one, one.release),
      (error: Error) => lent(error, undefined, () => undefined),
    );
  }

  async #lend(): Promise<pg.PoolClient> {
    const give = this.#slots.takeFree() ?? (await this.#wait());
    try {
      const client = await super.connect();
      this.#gives.set(client, give);
      return client;
    } catch (error) {
      give();
      throw error;
    }
  }

  async #wait(): Promise<Give> {
    const late = AbortSignal.timeout(this.#waitMaxMs);
    try {
      return await this.#slots.take(late);
    } catch (error) {
      // As the pool says it, so that both are one kind of trouble.
      throw late.aborted ? new Error('timeout exceeded when trying to connect') : error;
    }
  }
}

function tooManyWait(): AppError {
  return new AppError('UNAVAILABLE', 'Very many people are here just now. Try again in a few seconds.', {
    retryAfterSeconds: busyRetrySeconds,
  });
}
