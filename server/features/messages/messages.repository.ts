import { and, asc, count, desc, eq, ne, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { messages } from './messages.tables.ts';

/** What an owner is shown, sealed as it is stored. */
const ownersColumns = {
  id: messages.id,
  title: messages.title,
  content: messages.content,
  recipientEmail: messages.recipientEmail,
  category: messages.category,
  status: messages.status,
  visibleToTrustedContact: messages.visibleToTrustedContact,
  hasAttachment: messages.hasAttachment,
  attachmentOriginalName: messages.attachmentOriginalName,
  attachmentSize: messages.attachmentSize,
  attachmentMimeType: messages.attachmentMimeType,
  deliveredAt: messages.deliveredAt,
  createdAt: messages.createdAt,
  updatedAt: messages.updatedAt,
};

export type SealedMessage = Pick<typeof messages.$inferSelect, keyof typeof ownersColumns>;
type NewMessage = typeof messages.$inferInsert;

// The list is what the pages ask for most, so PostgreSQL parses and plans it once per connection.
const messagesOfOwner = prepared((executor) =>
  executor
    .select(ownersColumns)
    .from(messages)
    .where(eq(messages.userId, sql.placeholder('userId')))
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .prepare('messages_of_owner'),
);

/** Newest first. */
export function listMessagesOfOwner(executor: Executor, userId: string): Promise<SealedMessage[]> {
  return messagesOfOwner(executor).execute({ userId });
}

/** Locks the row. Another owner's message is not found. */
export async function lockMessage(tx: Executor, userId: string, id: string): Promise<SealedMessage | null> {
  const [row] = await tx
    .select(ownersColumns)
    .from(messages)
    .where(and(eq(messages.id, id), eq(messages.userId, userId)))
    .for('update');
  return row ?? null;
}

/** Messages that count towards the plan: all that are not delivered. Exact only under the owner's lock. */
export async function countUndelivered(tx: Executor, userId: string): Promise<number> {
  const [row] = await tx
    .select({ count: count() })
    .from(messages)
    .where(and(eq(messages.userId, userId), ne(messages.status, 'delivered')));
  return row?.count ?? 0;
}

export async function insertMessage(tx: Executor, message: NewMessage): Promise<void> {
  await tx.insert(messages).values(message);
}

export async function updateMessageRow(tx: Executor, id: string, change: Partial<NewMessage>): Promise<void> {
  await tx.update(messages).set(change).where(eq(messages.id, id));
}

/** Gives the status the message had, or null where this owner has no such message. */
export async function deleteMessageRow(tx: Executor, userId: string, id: string): Promise<string | null> {
  const [row] = await tx
    .delete(messages)
    .where(and(eq(messages.id, id), eq(messages.userId, userId)))
    .returning({ status: messages.status });
  return row?.status ?? null;
}

export async function countReadyMessages(executor: Executor, userId: string): Promise<number> {
  const [row] = await executor
    .select({ count: count() })
    .from(messages)
    .where(and(eq(messages.userId, userId), eq(messages.status, 'ready')));
  return row?.count ?? 0;
}

/** Oldest first, so that a release goes out in the order of writing. */
export function listReadyMessages(executor: Executor, userId: string) {
  const { id, title, recipientEmail, visibleToTrustedContact, createdAt } = ownersColumns;
  return executor
    .select({ id, title, recipientEmail, visibleToTrustedContact, createdAt })
    .from(messages)
    .where(and(eq(messages.userId, userId), eq(messages.status, 'ready')))
    .orderBy(asc(messages.createdAt), asc(messages.id));
}

/** The first acceptance stays: a message is delivered once. */
export async function storeDelivered(tx: Executor, id: string, at: Date): Promise<void> {
  await tx
    .update(messages)
    .set({ status: 'delivered', deliveredAt: at })
    .where(and(eq(messages.id, id), ne(messages.status, 'delivered')));
}

export async function findForDelivery(executor: Executor, id: string) {
  const { title, content, createdAt } = ownersColumns;
  const [row] = await executor
    .select({ userId: messages.userId, title, content, createdAt })
    .from(messages)
    .where(eq(messages.id, id));
  return row ?? null;
}
