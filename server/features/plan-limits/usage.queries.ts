import { and, count, eq, ne, sql, sum } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';

/** Parts of a statement over `users` that add each owner's use of their plan. */

/** Number of messages that count towards the plan. */
export function undeliveredMessages(executor: Executor) {
  const counted = executor
    .select({ count: count() })
    .from(messages)
    .where(and(eq(messages.userId, users.id), ne(messages.status, 'delivered')));
  return sql`(${counted})`.mapWith(Number);
}

/** Total bytes of documents, attachments and enclosures. */
export function storedBytes(executor: Executor) {
  const ofDocuments = executor
    .select({ sum: sum(documents.fileSize) })
    .from(documents)
    .where(eq(documents.userId, users.id));
  const ofAttachments = executor
    .select({ sum: sum(messages.attachmentSize) })
    .from(messages)
    .where(eq(messages.userId, users.id));
  const ofEnclosures = executor
    .select({ sum: sum(messageEnclosures.fileSize) })
    .from(messageEnclosures)
    .where(eq(messageEnclosures.userId, users.id));
  return sql`coalesce((${ofDocuments}), 0) + coalesce((${ofAttachments}), 0) + coalesce((${ofEnclosures}), 0)`.mapWith(
    Number,
  );
}
