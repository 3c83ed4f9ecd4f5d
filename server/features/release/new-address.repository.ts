import { and, asc, eq, inArray, lte, type SQL, sql } from 'drizzle-orm';
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

/** Gives up the windows of all live proposals, of one owner or of all (`null`), and has each looked at from `at` on. */
export async function giveUpWindows(tx: Executor, { userId, at }: { userId: string | null; at: Date }): Promise<void> {
  await tx.update(addressProposals).set({ waitsFromHealthyMs: null, lookAt: at }).where(liveOf(userId));
}

/** The releases in which a proposal is alive, as a part of another statement. */
export function cyclesWithLiveProposals(executor: Executor, userId: string | null) {
  return executor.select({ id: addressProposals.cycleId }).from(addressProposals).where(liveOf(userId));
}

function liveOf(userId: string | null) {
  return and(live, userId === null ? undefined : eq(addressProposals.userId, userId));
}

/** Whatever was proposed in a release ends with it. */
export async function endProposals(tx: Executor, cycleId: string, at: Date): Promise<void> {
  await tx
    .update(addressProposals)
    .set({ status: 'ended', endedAt: at })
    .where(and(eq(addressProposals.cycleId, cycleId), live));
}

/** Ended by a restore, and whoever proposed it has not been told: nothing else is looked at when it ends. */
const isToBeTold = and(eq(addressProposals.status, 'ended'), eq(addressProposals.lookAt, addressProposals.endedAt));

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
    .where(live);
}

export function findProposalsToTell(executor: Executor, limit: number): Promise<ProposalRow[]> {
  return executor.select().from(addressProposals).where(isToBeTold).orderBy(asc(addressProposals.id)).limit(limit);
}

/** False where another worker has done it before. */
export async function markProposalTold(tx: Executor, id: string): Promise<boolean> {
  const told = await tx
    .update(addressProposals)
    .set({ lookAt: null })
    .where(and(eq(addressProposals.id, id), isToBeTold))
    .returning({ id: addressProposals.id });
  return told.length > 0;
}

export async function countProposalsToTell(executor: Executor): Promise<number> {
  return executor.$count(addressProposals, isToBeTold);
}
