import { and, asc, eq, inArray, lte } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { addressProposals } from './new-address.tables.ts';

export type ProposalRow = typeof addressProposals.$inferSelect;

const live = inArray(addressProposals.status, ['proposed', 'waiting']);

export async function insertProposal(tx: Executor, row: typeof addressProposals.$inferInsert): Promise<void> {
  await tx.insert(addressProposals).values(row);
}

export async function changeProposal(
  tx: Executor,
  id: string,
  change: Partial<
    Pick<ProposalRow, 'status' | 'waitsFromHealthyMs' | 'lookAt' | 'asksSent' | 'answeredBy' | 'endedAt'>
  >,
): Promise<void> {
  await tx.update(addressProposals).set(change).where(eq(addressProposals.id, id));
}

/** The proposals of a cycle that are alive, one a delivery at most. */
export function listLiveProposals(executor: Executor, cycleId: string): Promise<ProposalRow[]> {
  return executor
    .select()
    .from(addressProposals)
    .where(and(eq(addressProposals.cycleId, cycleId), live));
}

/** Proposals whose waiting time may be over, the oldest first. */
export function findWaitingProposals(executor: Executor, now: Date, limit: number): Promise<ProposalRow[]> {
  return executor
    .select()
    .from(addressProposals)
    .where(and(live, lte(addressProposals.lookAt, now)))
    .orderBy(asc(addressProposals.lookAt), asc(addressProposals.id))
    .limit(limit);
}

/** Ends one that is still alive; what was sent or refused meanwhile stays so. */
export async function endProposal(tx: Executor, id: string, at: Date): Promise<void> {
  await tx
    .update(addressProposals)
    .set({ status: 'ended', endedAt: at })
    .where(and(eq(addressProposals.id, id), live));
}

/**
 * Gives up the windows of all live proposals, of one owner or of all (`null`), and has each looked at from `at` on, so that it
 * begins anew. Part of what ends a freeze: one that came and went between two looks must leave its trace, too.
 */
export async function restartWindows(tx: Executor, { userId, at }: { userId: string | null; at: Date }): Promise<void> {
  await tx
    .update(addressProposals)
    .set({ waitsFromHealthyMs: null, lookAt: at })
    .where(and(live, userId === null ? undefined : eq(addressProposals.userId, userId)));
}

/** Whatever was proposed in a release ends with it. */
export async function endProposals(tx: Executor, cycleId: string, at: Date): Promise<void> {
  await tx
    .update(addressProposals)
    .set({ status: 'ended', endedAt: at })
    .where(and(eq(addressProposals.cycleId, cycleId), live));
}
