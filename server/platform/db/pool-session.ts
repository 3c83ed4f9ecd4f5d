import { sql } from 'drizzle-orm';
import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import type { PgDialect, PgTransactionConfig } from 'drizzle-orm/pg-core';
import type pg from 'pg';

type NoRelations = Record<string, never>;
type Transaction = NodePgTransaction<NoRelations, NoRelations>;

/**
 * Drizzle's session of a pool. It reuses one transaction object per connection, because `prepared` builds each statement
 * once per object.
 */
export class PoolSession extends NodePgSession<NoRelations, NoRelations> {
  readonly #pool: pg.Pool;
  readonly #dialect: PgDialect;
  readonly #transactions = new WeakMap<pg.PoolClient, Transaction>();

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
    const tx = this.#transactionOf(client);
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

  /** Transaction object of a connection. Transactions on one connection follow each other, so they can share it. */
  #transactionOf(client: pg.PoolClient): Transaction {
    const known = this.#transactions.get(client);
    if (known) return known;
    const session = new NodePgSession<NoRelations, NoRelations>(client, this.#dialect, undefined);
    const made: Transaction = new NodePgTransaction(this.#dialect, session, undefined);
    this.#transactions.set(client, made);
    return made;
  }
}
