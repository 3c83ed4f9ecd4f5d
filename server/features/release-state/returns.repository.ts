import { and, desc, eq, gte, isNotNull, lte } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { releaseAnswers, releaseRequests } from '#server/schema/release.tables.ts';
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

/** Contact in whose name the early request was made that this return ended. Null after a request by silence. */
export async function findEndedAsker(
  executor: Executor,
  { userId, at }: Pick<ReturnRow, 'userId' | 'at'>,
): Promise<string | null> {
  const { askedBy, closedAt, removalTokenHash } = releaseRequests;
  const isEndedByOwner = and(gte(closedAt, at), isNotNull(removalTokenHash));
  const [row] = await executor
    .select({ askedBy })
    .from(releaseRequests)
    .where(and(eq(releaseRequests.userId, userId), isEndedByOwner))
    // A later request may have ended since.
    .orderBy(closedAt)
    .limit(1);
  return row?.askedBy ?? null;
}

/** Most answers that the page of a return shows. */
const aliveAnswersShown = 20;

/** The latest answers in this time that the owner is alive, oldest first. */
export async function listAliveAnswers(
  executor: Executor,
  { userId, from, until }: { userId: string; from: Date; until: Date },
) {
  const { id, contactId, at, reason, says } = releaseAnswers;
  const rows = await executor
    .select({ id, contactId, at, reason })
    .from(releaseAnswers)
    .innerJoin(releaseRequests, eq(releaseRequests.id, releaseAnswers.requestId))
    .where(and(eq(releaseRequests.userId, userId), eq(says, 'alive'), gte(at, from), lte(at, until)))
    .orderBy(desc(at))
    .limit(aliveAnswersShown);
  return rows.reverse();
}

/** Deletes the return once the owner has read it. */
export async function removeReturn(executor: Executor, userId: string): Promise<void> {
  await executor.delete(releaseReturns).where(eq(releaseReturns.userId, userId));
}
