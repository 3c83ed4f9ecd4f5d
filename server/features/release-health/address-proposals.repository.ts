import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { addressProposals, isLiveProposal, isProposalToBeTold } from '#server/schema/new-address.tables.ts';

/** Ends the windows of all live proposals, of one owner or of all (`null`), and schedules their next check at `at`. */
export async function endWindows(tx: Executor, { userId, at }: { userId: string | null; at: Date }): Promise<void> {
  await tx.update(addressProposals).set({ waitsFromHealthyMs: null, lookAt: at }).where(liveOf(userId));
}

/**
 * Schedules the next check of an owner's live proposals at `at`, for example when the review of their release has
 * ended.
 */
export async function scheduleProposals(tx: Executor, { userId, at }: { userId: string; at: Date }): Promise<void> {
  await tx.update(addressProposals).set({ lookAt: at }).where(liveOf(userId));
}

/** Releases with a live proposal, as a part of another statement. */
export function requestsWithLiveProposals(executor: Executor, userId: string | null) {
  return executor.select({ id: addressProposals.requestId }).from(addressProposals).where(liveOf(userId));
}

function liveOf(userId: string | null) {
  return and(isLiveProposal, userId === null ? undefined : eq(addressProposals.userId, userId));
}

/** Ends the live proposals of a release. */
export async function endProposals(tx: Executor, requestId: string, at: Date): Promise<void> {
  await tx
    .update(addressProposals)
    .set({ status: 'ended', endedAt: at })
    .where(and(eq(addressProposals.requestId, requestId), isLiveProposal));
}

/**
 * Ends all live proposals in a restored database: they may have been withdrawn, refused or sent since the backup. The
 * schema may be older than this code, so the statement names only columns of the first version.
 */
export async function endProposalsOfBackup(tx: Executor, at: SQL): Promise<void> {
  const { rows } = await tx.execute<{ found: string | null }>(sql`select to_regclass('address_proposals') as found`);
  if (!rows[0]?.found) return;
  await tx
    .update(addressProposals)
    .set({ status: 'ended', endedAt: at, lookAt: at, waitsFromHealthyMs: null })
    .where(isLiveProposal);
}

export async function countProposalsToTell(executor: Executor): Promise<number> {
  return executor.$count(addressProposals, isProposalToBeTold);
}
