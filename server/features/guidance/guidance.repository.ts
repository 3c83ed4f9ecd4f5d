import { and, asc, eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { userChecklists } from '#server/schema/guidance.tables.ts';

/** A checklist of an owner, its items sealed, as it is stored. */
export type SealedChecklist = typeof userChecklists.$inferSelect;

export function listChecklistsOfOwner(executor: Executor, userId: string): Promise<SealedChecklist[]> {
  return executor
    .select()
    .from(userChecklists)
    .where(eq(userChecklists.userId, userId))
    .orderBy(asc(userChecklists.checklistId));
}

export async function findChecklist(
  executor: Executor,
  userId: string,
  checklistId: string,
): Promise<SealedChecklist | null> {
  const [row] = await executor
    .select()
    .from(userChecklists)
    .where(and(eq(userChecklists.userId, userId), eq(userChecklists.checklistId, checklistId)));
  return row ?? null;
}

/** Inserts a row, or replaces the content of the row with its id. */
export async function saveChecklistRow(tx: Executor, row: SealedChecklist): Promise<void> {
  const { customItems, completedItems, resetAt, updatedAt } = row;
  await tx
    .insert(userChecklists)
    .values(row)
    .onConflictDoUpdate({ target: userChecklists.id, set: { customItems, completedItems, resetAt, updatedAt } });
}
