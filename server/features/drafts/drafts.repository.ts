import { and, count, desc, eq, isNull } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { messageDrafts } from '#server/schema/drafts.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';

/** Row of a draft. Its content is sealed. */
export type SealedDraft = typeof messageDrafts.$inferSelect;

/** Lists drafts. `messageId` limits the list to one letter; null is the letter that is not saved yet. */
export function listDraftsOfOwner(
  executor: Executor,
  userId: string,
  messageId?: string | null,
): Promise<SealedDraft[]> {
  return executor
    .select()
    .from(messageDrafts)
    .where(and(eq(messageDrafts.userId, userId), messageId === undefined ? undefined : ofMessage(messageId)))
    .orderBy(desc(messageDrafts.updatedAt), desc(messageDrafts.id));
}

export async function findDraft(
  executor: Executor,
  userId: string,
  messageId: string | null,
): Promise<SealedDraft | null> {
  const [row] = await listDraftsOfOwner(executor, userId, messageId);
  return row ?? null;
}

function ofMessage(messageId: string | null) {
  return messageId === null ? isNull(messageDrafts.messageId) : eq(messageDrafts.messageId, messageId);
}

export async function countDrafts(executor: Executor, userId: string): Promise<number> {
  const [row] = await executor.select({ count: count() }).from(messageDrafts).where(eq(messageDrafts.userId, userId));
  return row?.count ?? 0;
}

/** Inserts a row, or updates the content and version of the row with this id. */
export async function saveDraftRow(tx: Executor, row: SealedDraft): Promise<void> {
  const { content, version, updatedAt } = row;
  await tx
    .insert(messageDrafts)
    .values(row)
    .onConflictDoUpdate({ target: messageDrafts.id, set: { content, version, updatedAt } });
}

export async function deleteDraftRow(tx: Executor, id: string): Promise<void> {
  await tx.delete(messageDrafts).where(eq(messageDrafts.id, id));
}

/** Finds the facts about a letter that decide if it may have a draft. Null if the owner has no such letter. */
export async function findLetter(
  executor: Executor,
  userId: string,
  messageId: string,
): Promise<{ isSealed: boolean; isDelivered: boolean } | null> {
  const [row] = await executor
    .select({ sealed: messages.encryptedContent, status: messages.status })
    .from(messages)
    .where(and(eq(messages.userId, userId), eq(messages.id, messageId)));
  return row ? { isSealed: row.sealed !== null, isDelivered: row.status === 'delivered' } : null;
}
