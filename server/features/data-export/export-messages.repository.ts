import { and, asc, eq, gt, inArray, or } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';

export type MessageRow = typeof messages.$inferSelect & { recipients: RecipientRow[] };
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
  return rows.map((row) => ({ ...row, recipients: byMessage.get(row.id) ?? [] }));
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

/** What a message says of its file, and none of its words. */
export type AttachmentRow = MessageMark &
  Pick<MessageRow, 'attachmentPath' | 'attachmentOriginalName' | 'attachmentSize' | 'attachmentMimeType'>;

/** The same messages in the same order, those without a file too. */
export function readAttachments(executor: Executor, userId: string, page: Page): Promise<AttachmentRow[]> {
  const { id, createdAt, attachmentPath, attachmentOriginalName, attachmentSize, attachmentMimeType } = messages;
  return executor
    .select({ id, createdAt, attachmentPath, attachmentOriginalName, attachmentSize, attachmentMimeType })
    .from(messages)
    .where(and(eq(messages.userId, userId), after(page)))
    .orderBy(asc(createdAt), asc(id))
    .limit(page.limit);
}

function after({ after: mark }: Page) {
  const { createdAt, id } = messages;
  return mark ? or(gt(createdAt, mark.createdAt), and(eq(createdAt, mark.createdAt), gt(id, mark.id))) : undefined;
}
