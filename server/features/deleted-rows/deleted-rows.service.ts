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

/** So many things of an owner are kept at most, however small; the oldest goes out first. */
export const deletedRowsMax = 100;

/**
 * Keeps a row as it stands, before it is deleted. Of its owner's no more is kept than the plan's storage once more, nor than
 * `deletedRowsMax` things: the oldest go out first, and their files with the next sweep. Under the owner's lock.
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
 * Puts a row back where it stood, with the id that it had, unless `requireFit` refuses it by throwing; gives it, or null where it is
 * not there any more. Under the owner's lock.
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

/** What was deleted until then is over. */
export function deletedSince(at: Date): Date {
  return new Date(at.getTime() - recentlyDeletedMs);
}
