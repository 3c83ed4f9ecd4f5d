import { and, asc, count, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { messages } from '#server/schema/messages.tables.ts';

/** What an owner is shown, sealed as it is stored. */
const ownersColumns = {
  id: messages.id,
  title: messages.title,
  content: messages.content,
  encryptedContent: messages.encryptedContent,
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
/** A message that is being written: not delivered, and without a file unless it says so. */
type WrittenMessage = Omit<typeof messages.$inferSelect, 'deliveredAt' | keyof typeof withoutFile> &
  Partial<Pick<typeof messages.$inferSelect, keyof typeof withoutFile>>;

const withoutFile = {
  hasAttachment: false,
  attachmentPath: null,
  attachmentOriginalName: null,
  attachmentSize: null,
  attachmentMimeType: null,
};

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

/** With where its attachment lies, which no owner is shown. */
export type LockedMessage = SealedMessage & { attachmentPath: string | null };

/** Locks the row. Another owner's message is not found. */
export async function lockMessage(tx: Executor, userId: string, id: string): Promise<LockedMessage | null> {
  const [row] = await tx
    .select({ ...ownersColumns, attachmentPath: messages.attachmentPath })
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

export async function insertMessage(tx: Executor, message: WrittenMessage): Promise<void> {
  await tx.insert(messages).values({ ...withoutFile, ...message });
}

const rowsPerInsert = 500;

export async function insertMessages(tx: Executor, rows: readonly NewMessage[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    await tx.insert(messages).values(rows.slice(at, at + rowsPerInsert));
  }
}

export async function updateMessageRow(tx: Executor, id: string, change: Partial<NewMessage>): Promise<void> {
  await tx.update(messages).set(change).where(eq(messages.id, id));
}

/** Gives what the message was, or null where this owner has no such message. */
export async function deleteMessageRow(tx: Executor, userId: string, id: string) {
  const [row] = await tx
    .delete(messages)
    .where(and(eq(messages.id, id), eq(messages.userId, userId)))
    .returning({ status: messages.status, attachmentPath: messages.attachmentPath });
  return row ?? null;
}

/** How many messages there are, whatever became of them, and how many are ready. */
export async function countMessages(executor: Executor, userId: string): Promise<{ all: number; ready: number }> {
  const ready = sql<number>`count(*) filter (where ${messages.status} = 'ready')::int`;
  const [row] = await executor.select({ all: count(), ready }).from(messages).where(eq(messages.userId, userId));
  return row ?? { all: 0, ready: 0 };
}

/** How many messages of each owner are ready; an owner without any is left out. */
export async function countReadyMessagesOf(
  executor: Executor,
  userIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await executor
    .select({ userId: messages.userId, count: count() })
    .from(messages)
    .where(and(inArray(messages.userId, [...userIds]), eq(messages.status, 'ready')))
    .groupBy(messages.userId);
  return new Map(rows.map(({ userId, count }) => [userId, count]));
}

/** The ids of the messages of each owner that are ready, in the order of writing; an owner without any is left out. */
export async function listReadyIdsOf(executor: Executor, userIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await executor
    .select({ userId: messages.userId, id: messages.id })
    .from(messages)
    .where(and(inArray(messages.userId, [...userIds]), eq(messages.status, 'ready')))
    .orderBy(asc(messages.createdAt), asc(messages.id));
  const grouped = Map.groupBy(rows, ({ userId }) => userId);
  return new Map([...grouped].map(([userId, ready]) => [userId, ready.map(({ id }) => id)]));
}

export async function countReadyMessages(executor: Executor, userId: string): Promise<number> {
  return (await countReadyMessagesOf(executor, [userId])).get(userId) ?? 0;
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
export async function storeDelivered(tx: Executor, letters: readonly { id: string; at: Date }[]): Promise<void> {
  const ids = sql.param(letters.map(({ id }) => id));
  const times = sql.param(letters.map(({ at }) => at.toISOString()));
  await tx.execute(sql`
    update ${messages} set status = 'delivered', delivered_at = accepted.at
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) as accepted (id, at)
    where ${messages}.id = accepted.id and ${messages}.status <> 'delivered'`);
}

/** Takes deliveries back: the owner returned, and nobody had opened them. */
export async function storeReadyAgain(tx: Executor, ids: readonly string[]): Promise<void> {
  await tx
    .update(messages)
    .set({ status: 'ready', deliveredAt: null })
    .where(and(inArray(messages.id, [...ids]), eq(messages.status, 'delivered')));
}

const attachmentColumns = {
  id: messages.id,
  userId: messages.userId,
  status: messages.status,
  attachmentPath: messages.attachmentPath,
  attachmentOriginalName: messages.attachmentOriginalName,
  attachmentSize: messages.attachmentSize,
  attachmentMimeType: messages.attachmentMimeType,
};

export type AttachmentRow = Pick<typeof messages.$inferSelect, keyof typeof attachmentColumns>;

/** What tells one message from another, oldest first. */
export function listForImport(executor: Executor, userId: string) {
  const { title, content, encryptedContent, recipientEmail } = ownersColumns;
  return executor
    .select({ ...attachmentColumns, title, content, encryptedContent, recipientEmail })
    .from(messages)
    .where(eq(messages.userId, userId))
    .orderBy(asc(messages.createdAt), asc(messages.id));
}

/** Another owner's message is not found. */
export async function findAttachment(executor: Executor, userId: string, id: string): Promise<AttachmentRow | null> {
  const [row] = await executor
    .select(attachmentColumns)
    .from(messages)
    .where(and(eq(messages.id, id), eq(messages.userId, userId)));
  return row ?? null;
}

/** Whole messages, in no order. */
export async function listForDelivery(executor: Executor, ids: readonly string[]) {
  const { title, content, encryptedContent, recipientEmail, createdAt } = ownersColumns;
  return executor
    .select({ ...attachmentColumns, title, content, encryptedContent, recipientEmail, createdAt })
    .from(messages)
    .where(inArray(messages.id, [...ids]));
}

export async function findForDelivery(executor: Executor, id: string) {
  const [row] = await listForDelivery(executor, [id]);
  return row ?? null;
}
