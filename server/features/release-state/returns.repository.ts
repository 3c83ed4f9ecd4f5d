import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { releaseReturns } from '#server/schema/returns.tables.ts';

export type ReturnRow = typeof releaseReturns.$inferSelect;

/** Stores the newest return, in place of an earlier one. */
export async function writeReturn(tx: Executor, row: ReturnRow): Promise<void> {
  await tx.insert(releaseReturns).values(row).onConflictDoUpdate({ target: releaseReturns.userId, set: row });
}

export async function findReturn(executor: Executor, userId: string): Promise<ReturnRow | null> {
  const [row] = await executor.select().from(releaseReturns).where(eq(releaseReturns.userId, userId));
  return row ?? null;
}

/** Deletes the return once the owner has read it. */
export async function removeReturn(executor: Executor, userId: string): Promise<void> {
  await executor.delete(releaseReturns).where(eq(releaseReturns.userId, userId));
}
