import { and, asc, eq, lte, min } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { addressProposals, isLiveProposal, isProposalToBeTold } from '#server/schema/new-address.tables.ts';

export type ProposalRow = typeof addressProposals.$inferSelect;

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

/** The proposals of a release that are alive, one a delivery at most. */
export function listLiveProposals(executor: Executor, requestId: string): Promise<ProposalRow[]> {
  return executor
    .select()
    .from(addressProposals)
    .where(and(eq(addressProposals.requestId, requestId), isLiveProposal));
}

/** Proposals whose waiting time may be over, the oldest first. */
export function findWaitingProposals(executor: Executor, now: Date, limit: number): Promise<ProposalRow[]> {
  return executor
    .select()
    .from(addressProposals)
    .where(and(isLiveProposal, lte(addressProposals.lookAt, now)))
    .orderBy(asc(addressProposals.lookAt), asc(addressProposals.id))
    .limit(limit);
}

export async function findNextLookAt(executor: Executor): Promise<Date | null> {
  const [next] = await executor
    .select({ at: min(addressProposals.lookAt) })
    .from(addressProposals)
    .where(isLiveProposal);
  return next?.at ?? null;
}

/** Ends a live proposal. One that was sent or refused meanwhile keeps its state. */
export async function endProposal(tx: Executor, id: string, at: Date): Promise<void> {
  await tx
    .update(addressProposals)
    .set({ status: 'ended', endedAt: at })
    .where(and(eq(addressProposals.id, id), isLiveProposal));
}

export function findProposalsToTell(executor: Executor, limit: number): Promise<ProposalRow[]> {
  return executor
    .select()
    .from(addressProposals)
    .where(isProposalToBeTold)
    .orderBy(asc(addressProposals.id))
    .limit(limit);
}

/** False if another worker has done it before. */
export async function markProposalTold(tx: Executor, id: string): Promise<boolean> {
  const told = await tx
    .update(addressProposals)
    .set({ lookAt: null })
    .where(and(eq(addressProposals.id, id), isProposalToBeTold))
    .returning({ id: addressProposals.id });
  return told.length > 0;
}
