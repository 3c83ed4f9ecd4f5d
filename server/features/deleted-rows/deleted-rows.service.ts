import type { Executor } from '#server/platform/db/database.ts';
import { type PlanName, storageBytesOf } from '#shared/rules/plans.ts';
import { recentlyDeletedMs } from '#shared/rules/retention.ts';
import {
  type DeletedRow,
  findDeleted,
  insertDeleted,
  leaveNewest,
  putRowBack,
  removeDeleted,
  type Which,
} from './deleted-rows.repository.ts';

export { type DeletedRow, findDeleted, listDeleted, removeDeleted } from './deleted-rows.repository.ts';

/** Most things that are kept for an owner. The oldest is removed first. */
export const deletedRowsMax = 100;

/**
 * Keeps a copy of a row before it is deleted. An owner's copies may use the plan's storage once more, and number at
 * most `deletedRowsMax`. The oldest are removed first, and their files with the next sweep. The caller holds the
 * owner's lock.
 */
export async function keepDeleted(
  tx: Executor,
  which: Which,
  { plan, at }: { plan: PlanName; at: Date },
): Promise<void> {
  await insertDeleted(tx, which, at);
  await leaveNewest(tx, which.userId, { bytesMax: storageBytesOf(plan), rowsMax: deletedRowsMax });
}

/**
 * Restores a row with its old id, unless `requireFit` throws. Returns it, or null if it is no longer kept. The caller
 * holds the owner's lock.
 */
export async function putBack(
  tx: Executor,
  which: Which,
  { at, requireFit }: { at: Date; requireFit: (kept: DeletedRow) => Promise<void> },
): Promise<DeletedRow | null> {
  const kept = await findDeleted(tx, which);
  if (!kept || kept.deletedAt <= deletedSince(at)) return null;
  await requireFit(kept);
  await removeDeleted(tx, which);
  await putRowBack(tx, kept);
  return kept;
}

/** Time before which deleted things have expired. */
export function deletedSince(at: Date): Date {
  return new Date(at.getTime() - recentlyDeletedMs);
}
