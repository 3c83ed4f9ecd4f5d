import { and, asc, count, desc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared, preparedSql } from '#server/platform/db/prepared.ts';
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

const undelivered = prepared((tx) =>
  tx
    .select({ count: count() })
    .from(messages)
    .where(and(eq(messages.userId, sql.placeholder('userId')), ne(messages.status, 'delivered')))
    .prepare('messages_undelivered'),
);

/** Messages that count towards the plan: all that are not delivered. Exact only under the owner's lock. */
export async function countUndelivered(tx: Executor, userId: string): Promise<number> {
  const [row] = await undelivered(tx).execute({ userId });
  return row?.count ?? 0;
}

const messageInserted = prepared((tx) =>
  tx
    .insert(messages)
    .values({
      id: sql.placeholder('id'),
      userId: sql.placeholder('userId'),
      title: sql.placeholder('title'),
      content: sql.placeholder('content'),
      encryptedContent: sql.placeholder('encryptedContent'),
      recipientEmail: sql.placeholder('recipientEmail'),
      category: sql.placeholder('category'),
      status: sql.placeholder('status'),
      visibleToTrustedContact: sql.placeholder('visibleToTrustedContact'),
      hasAttachment: sql.placeholder('hasAttachment'),
      attachmentPath: sql.placeholder('attachmentPath'),
      attachmentOriginalName: sql.placeholder('attachmentOriginalName'),
      attachmentSize: sql.placeholder('attachmentSize'),
      attachmentMimeType: sql.placeholder('attachmentMimeType'),
      createdAt: sql.placeholder('createdAt'),
      updatedAt: sql.placeholder('updatedAt'),
    })
    .prepare('message_insert'),
);

export async function insertMessage(tx: Executor, message: WrittenMessage): Promise<void> {
  await messageInserted(tx).execute({ ...withoutFile, ...message });
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

const readyCounted = prepared((executor) =>
  executor
    .select({ userId: messages.userId, count: count() })
    .from(messages)
    // The value stands in the text, or a plan for any status would pass by the index on ready ones.
    .where(sql`${messages.userId} = any(${sql.placeholder('userIds')}::uuid[]) and ${messages.status} = 'ready'`)
    .groupBy(messages.userId)
    .prepare('messages_ready_count'),
);

/** How many messages of each owner are ready; an owner without any is left out. */
export async function countReadyMessagesOf(
  executor: Executor,
  userIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await readyCounted(executor).execute({ userIds });
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

const delivered = preparedSql(
  'messages_delivered',
  sql`
    update ${messages} set status = 'delivered', delivered_at = accepted.at
    from unnest(${sql.placeholder('ids')}::uuid[], ${sql.placeholder('ats')}::timestamptz[]) as accepted (id, at)
    where ${messages}.id = accepted.id and ${messages}.status <> 'delivered'`,
);

/** The first acceptance stays: a message is delivered once. */
export async function storeDelivered(tx: Executor, letters: readonly { id: string; at: Date }[]): Promise<void> {
  await delivered(tx, { ids: letters.map(({ id }) => id), ats: letters.map(({ at }) => at.toISOString()) });
}

const madeReadyAgain = preparedSql(
  'messages_ready_again',
  sql`
    update ${messages} set status = 'ready', delivered_at = null
    where id = any(${sql.placeholder('ids')}::uuid[]) and status = 'delivered'`,
);

/** Takes deliveries back: the owner returned, and nobody had opened them. */
export async function storeReadyAgain(tx: Executor, ids: readonly string[]): Promise<void> {
  await madeReadyAgain(tx, { ids });
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

const rowsForDelivery = prepared((executor) => {
  const { title, content, encryptedContent, recipientEmail, createdAt } = ownersColumns;
  return executor
    .select({ ...attachmentColumns, title, content, encryptedContent, recipientEmail, createdAt })
    .from(messages)
    .where(sql`${messages.id} = any(${sql.placeholder('ids')}::uuid[])`)
    .prepare('messages_for_delivery');
});

/** Whole messages, in no order. */
export async function listForDelivery(executor: Executor, ids: readonly string[]) {
  return rowsForDelivery(executor).execute({ ids });
}

export async function findForDelivery(executor: Executor, id: string) {
  const [row] = await listForDelivery(executor, [id]);
  return row ?? null;
}
