import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { addressProposals, isLiveProposal, isProposalToBeTold } from '#server/schema/new-address.tables.ts';

/* What becomes of proposals of another address when their release ends, is stopped, or comes out of a backup. */

/** Gives up the windows of all live proposals, of one owner or of all (`null`), and has each looked at from `at` on. */
export async function giveUpWindows(tx: Executor, { userId, at }: { userId: string | null; at: Date }): Promise<void> {
  await tx.update(addressProposals).set({ waitsFromHealthyMs: null, lookAt: at }).where(liveOf(userId));
}

/** Has the live proposals of one owner looked at from `at` on, such as when the review of their release has ended. */
export async function lookAtProposals(tx: Executor, { userId, at }: { userId: string; at: Date }): Promise<void> {
  await tx.update(addressProposals).set({ lookAt: at }).where(liveOf(userId));
}

/** The releases in which a proposal is alive, as a part of another statement. */
export function requestsWithLiveProposals(executor: Executor, userId: string | null) {
  return executor.select({ id: addressProposals.requestId }).from(addressProposals).where(liveOf(userId));
}

function liveOf(userId: string | null) {
  return and(isLiveProposal, userId === null ? undefined : eq(addressProposals.userId, userId));
}

/** Whatever was proposed in a release ends with it. */
export async function endProposals(tx: Executor, requestId: string, at: Date): Promise<void> {
  await tx
    .update(addressProposals)
    .set({ status: 'ended', endedAt: at })
    .where(and(eq(addressProposals.requestId, requestId), isLiveProposal));
}

/**
 * Ends what is alive in a database that is as old as a backup: it may have been taken back since, or refused, or sent, and
 * nobody here knows it. Its version may be older than the table; no column is named that the first had not.
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
