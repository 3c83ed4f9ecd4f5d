import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm';
import { pictureSizeColumns } from '#server/features/files/picture-size.queries.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';
import { attachmentColumns, ownersColumns } from './messages.repository.ts';

/** Whole messages, in no order. */
export async function listForDelivery(executor: Executor, ids: readonly string[]) {
  const { title, content, encryptedContent, showRecipients, createdAt } = ownersColumns;
  return executor
    .select({
      ...attachmentColumns,
      title,
      content,
      encryptedContent,
      showRecipients,
      createdAt,
      picture: pictureSizeColumns,
    })
    .from(messages)
    .leftJoin(fileObjects, eq(fileObjects.path, messages.attachmentPath))
    .where(inArray(messages.id, [...ids]));
}

export async function findForDelivery(executor: Executor, id: string) {
  const [row] = await listForDelivery(executor, [id]);
  return row ?? null;
}

/** The titles of messages, sealed, whether a browser has sealed their words, and how much lies in the envelope. */
export async function listTitles(executor: Executor, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return executor
    .select({
      id: messages.id,
      title: messages.title,
      isSealed: isNotNull(messages.encryptedContent).mapWith(Boolean),
      enclosures: executor.$count(
        messageEnclosures,
        and(
          eq(messageEnclosures.messageId, messages.id),
          isNull(messageEnclosures.originalOf),
          isNull(messageEnclosures.staging),
        ),
      ),
    })
    .from(messages)
    .where(inArray(messages.id, [...ids]));
}
