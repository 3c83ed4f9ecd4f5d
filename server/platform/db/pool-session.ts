import { sql } from 'drizzle-orm';
import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import type { PgDialect, PgTransactionConfig } from 'drizzle-orm/pg-core';
import type pg from 'pg';

type NoRelations = Record<string, never>;
type Transaction = NodePgTransaction<NoRelations, NoRelations>;

/**
 * Drizzle's session of a pool, with one executor per connection in place of one per transaction. So a prepared statement
 * is built once per connection, and not again in every transaction.
 */
export class PoolSession extends NodePgSession<NoRelations, NoRelations> {
  readonly #pool: pg.Pool;
  readonly #dialect: PgDialect;
  readonly #executors = new WeakMap<pg.PoolClient, Transaction>();

  constructor(pool: pg.Pool, dialect: PgDialect) {
    super(pool, dialect, undefined);
    this.#pool = pool;
    this.#dialect = dialect;
  }

  override async transaction<Result>(
    act: (tx: Transaction) => Promise<Result>,
    config?: PgTransactionConfig,
  ): Promise<Result> {
    const client = await this.#pool.connect();
    const tx = this.#executorOf(client);
    try {
      await tx.execute(sql`begin`);
      try {
        if (config) await tx.setTransaction(config);
        const result = await act(tx);
        await tx.execute(sql`commit`);
        return result;
      } catch (error) {
        await tx.execute(sql`rollback`);
        throw error;
      }
    } finally {
      client.release();
    }
  }

  #executorOf(client: pg.PoolClient): Transaction {
    const known = this.#executors.get(client);
    if (known) return known;
    const session = new NodePgSession<NoRelations, NoRelations>(client, this.#dialect, undefined);
    const made: Transaction = new NodePgTransaction(this.#dialect, session, undefined);
    this.#executors.set(client, made);
    return made;
  }
}
