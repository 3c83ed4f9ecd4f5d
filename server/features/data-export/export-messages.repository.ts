import { and, asc, eq, gt, inArray, isNull, or } from 'drizzle-orm';
import { type EnclosureRow, withOriginals } from '#server/features/messages/enclosures.rows.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { messageEnclosures, messageRecipients, messages } from '#server/schema/messages.tables.ts';

export type MessageRow = typeof messages.$inferSelect & { recipients: RecipientRow[]; enclosures: EnclosureRow[] };
/** The last message of a page, after which the next one begins. */
export type MessageMark = Pick<MessageRow, 'createdAt' | 'id'>;

type Page = { after: MessageMark | null; limit: number };

/** Oldest first, at most `limit`. */
export async function readMessages(executor: Executor, userId: string, page: Page): Promise<MessageRow[]> {
  const rows = await executor
    .select()
    .from(messages)
    .where(and(eq(messages.userId, userId), after(page)))
    .orderBy(asc(messages.createdAt), asc(messages.id))
    .limit(page.limit);
  const ids = rows.map(({ id }) => id);
  const recipients = ids.length > 0 ? await readRecipients(executor, ids) : [];
  const byMessage = Map.groupBy(recipients, ({ messageId }) => messageId);
  const enclosures = await readEnclosures(executor, ids);
  return rows.map((row) => ({
    ...row,
    recipients: byMessage.get(row.id) ?? [],
    enclosures: enclosures.get(row.id) ?? [],
  }));
}

async function readEnclosures(executor: Executor, messageIds: readonly string[]): Promise<Map<string, EnclosureRow[]>> {
  if (messageIds.length === 0) return new Map();
  const { messageId, position } = messageEnclosures;
  const rows = await executor
    .select()
    .from(messageEnclosures)
    .where(and(inArray(messageId, [...messageIds]), isNull(messageEnclosures.staging)))
    .orderBy(asc(messageId), asc(position));
  return Map.groupBy(withOriginals(rows.map((row) => ({ row, picture: null }))), ({ messageId: id }) => id);
}

type RecipientRow = typeof messageRecipients.$inferSelect & { status: null; openedAt: null };

async function readRecipients(executor: Executor, messageIds: readonly string[]): Promise<RecipientRow[]> {
  const { messageId, position } = messageRecipients;
  const rows = await executor
    .select()
    .from(messageRecipients)
    .where(inArray(messageId, [...messageIds]))
    .orderBy(asc(messageId), asc(position));
  return rows.map((row) => ({ ...row, status: null, openedAt: null }));
}

/** What a message says of its files, and none of its words. */
export type FilesRow = AttachmentRow & Pick<MessageRow, 'enclosures'>;
export type AttachmentRow = MessageMark &
  Pick<MessageRow, 'attachmentPath' | 'attachmentOriginalName' | 'attachmentSize' | 'attachmentMimeType'>;

/** The same messages in the same order, those without a file too. */
export async function readFiles(executor: Executor, userId: string, page: Page): Promise<FilesRow[]> {
  const { id, createdAt, attachmentPath, attachmentOriginalName, attachmentSize, attachmentMimeType } = messages;
  const rows = await executor
    .select({ id, createdAt, attachmentPath, attachmentOriginalName, attachmentSize, attachmentMimeType })
    .from(messages)
    .where(and(eq(messages.userId, userId), after(page)))
    .orderBy(asc(createdAt), asc(id))
    .limit(page.limit);
  const enclosures = await readEnclosures(
    executor,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({ ...row, enclosures: enclosures.get(row.id) ?? [] }));
}

function after({ after: mark }: Page) {
  const { createdAt, id } = messages;
  return mark ? or(gt(createdAt, mark.createdAt), and(eq(createdAt, mark.createdAt), gt(id, mark.id))) : undefined;
}
