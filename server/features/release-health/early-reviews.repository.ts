import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { reachedMailboxes } from '#server/schema/delivery.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';

/** Returns the mailboxes, by hash, that this account has written to, and the number that no review covers. */
export async function listReached(
  executor: Executor,
  userId: string,
  hashes: readonly string[],
): Promise<{ reached: Set<string>; unreviewed: number }> {
  const ofOwner = eq(reachedMailboxes.userId, userId);
  const rows = await executor
    .select({ mailbox: reachedMailboxes.mailbox })
    .from(reachedMailboxes)
    .where(and(ofOwner, inArray(reachedMailboxes.mailbox, [...hashes])));
  const unreviewed = await executor.$count(reachedMailboxes, and(ofOwner, eq(reachedMailboxes.isReviewed, false)));
  return { reached: new Set(rows.map(({ mailbox }) => mailbox)), unreviewed };
}

/** Records mailboxes that a release writes to. A known one keeps its row, but a review stays a review. */
export async function noteReached(
  tx: Executor,
  { userId, hashes, isReviewed, at }: { userId: string; hashes: readonly string[]; isReviewed: boolean; at: Date },
): Promise<void> {
  if (hashes.length === 0) return;
  await tx
    .insert(reachedMailboxes)
    .values(hashes.map((mailbox) => ({ userId, mailbox, isReviewed, reachedAt: at })))
    .onConflictDoUpdate({
      target: [reachedMailboxes.userId, reachedMailboxes.mailbox],
      set: { isReviewed: sql`${reachedMailboxes.isReviewed} or excluded.is_reviewed` },
    });
}

const isWaiting = and(isNull(releaseRequests.closedAt), eq(releaseRequests.earlyReview, 'waiting'));

/** Accounts, by address, whose early release waits for the operator. */
export async function listEarlyReviews(executor: Executor): Promise<string[]> {
  const rows = await executor
    .select({ email: users.email })
    .from(releaseRequests)
    .innerJoin(users, eq(users.id, releaseRequests.userId))
    .where(isWaiting)
    .orderBy(users.email);
  return rows.map(({ email }) => email);
}

/** Puts an open release under review before it writes to more new mailboxes. The owner's row is locked. */
export async function beginEarlyReview(tx: Executor, requestId: string): Promise<void> {
  await tx.update(releaseRequests).set({ earlyReview: 'waiting' }).where(eq(releaseRequests.id, requestId));
}

/** Ends the review of this owner's early release; false if none is waiting. The owner's row is locked. */
export async function endEarlyReview(tx: Executor, userId: string): Promise<boolean> {
  const ended = await tx
    .update(releaseRequests)
    .set({ earlyReview: 'let_go' })
    .where(and(eq(releaseRequests.userId, userId), isWaiting))
    .returning({ id: releaseRequests.id });
  return ended.length > 0;
}
