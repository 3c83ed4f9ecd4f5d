import { and, asc, count, eq, inArray, max, ne, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { type NewRecipient, recipientRows } from './recipients.repository.ts';

/** Columns that an owner sees, sealed. */
export const ownersColumns = {
  id: messages.id,
  title: messages.title,
  content: messages.content,
  encryptedContent: messages.encryptedContent,
  showRecipients: messages.showRecipients,
  deliverOn: messages.deliverOn,
  announceWait: messages.announceWait,
  position: messages.position,
  category: messages.category,
  status: messages.status,
  visibleToTrustedContact: messages.visibleToTrustedContact,
  hasAttachment: messages.hasAttachment,
  attachmentOriginalName: messages.attachmentOriginalName,
  attachmentSize: messages.attachmentSize,
  attachmentMimeType: messages.attachmentMimeType,
  attachmentTranscript: messages.attachmentTranscript,
  deliveredAt: messages.deliveredAt,
  createdAt: messages.createdAt,
  updatedAt: messages.updatedAt,
  version: messages.version,
};

export type SealedMessage = Pick<typeof messages.$inferSelect, keyof typeof ownersColumns>;
type NewMessage = typeof messages.$inferInsert;
/** A message that is being written: not delivered, and without a file. */
type WrittenMessage = Parameters<typeof written.encode>[0][number] & { position?: number | undefined };

/** A locked message, with the path of its file. */
export type LockedMessage = SealedMessage & { attachmentPath: string | null };

/** Message that an earlier try of the same request created; null if it created none. Exact only under the owner's lock. */
export async function findCreatedAs(executor: Executor, userId: string, changeKey: string): Promise<string | null> {
  const [row] = await executor
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.userId, userId), eq(messages.createdAs, changeKey)));
  return row?.id ?? null;
}

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

const written = recordSet(messages, [
  'id',
  'userId',
  'title',
  'content',
  'encryptedContent',
  'category',
  'status',
  'visibleToTrustedContact',
  'showRecipients',
  'deliverOn',
  'announceWait',
  'version',
  'createdAs',
  'createdAt',
  'updatedAt',
]);

const messageInserted = statement<{ position: number }>(sql`
  with stored as (
    insert into messages (${written.names}, position)
    select ${written.names}, coalesce(${sql.placeholder('position')}::int,
      (select coalesce(max(position), 0) + 1 from messages where user_id = ${sql.placeholder('userId')}::uuid))
    from ${written.source}
    returning position
  ), named as (
    insert into message_recipients (${recipientRows.names})
    select ${recipientRows.names} from ${recipientRows.sourceNamed('recipients')}
  )
  select position from stored`);

/** Stores a message without a file, and its recipients. Returns its position: the given one, or one after all others. */
export async function insertMessage(
  tx: Executor,
  message: WrittenMessage,
  recipients: readonly NewRecipient[],
): Promise<number> {
  const { position = null, ...row } = message;
  const people = recipientRows.encode(recipients);
  const values = { rows: written.encode([row]), position, userId: message.userId, recipients: people };
  const [stored] = await messageInserted(tx, values);
  if (!stored) throw new Error('A message was stored and did not come back.');
  return stored.position;
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

/** Position after all messages of the owner. Exact only under the owner's lock. */
export async function nextPosition(tx: Executor, userId: string): Promise<number> {
  const [row] = await tx
    .select({ last: max(messages.position) })
    .from(messages)
    .where(eq(messages.userId, userId));
  return (row?.last ?? 0) + 1;
}

/** Returns the status of the deleted message. Null if this owner has no such message. */
export async function deleteMessageRow(
  tx: Executor,
  userId: string,
  id: string,
): Promise<Pick<SealedMessage, 'status' | 'deliveredAt'> | null> {
  const [deleted] = await tx
    .delete(messages)
    .where(and(eq(messages.id, id), eq(messages.userId, userId)))
    .returning({ status: messages.status, deliveredAt: messages.deliveredAt });
  return deleted ?? null;
}

/** Lists ready messages in the writer's order. Without one, it is the order of writing. */
export function listReadyRows(executor: Executor, userId: string) {
  return listBriefly(executor, and(eq(messages.userId, userId), eq(messages.status, 'ready')));
}

/** Lists those of these messages that are no drafts, in the writer's order. */
export function listSentRows(executor: Executor, ids: readonly string[]) {
  return listBriefly(executor, and(inArray(messages.id, [...ids]), ne(messages.status, 'draft')));
}

function listBriefly(executor: Executor, which: SQL | undefined) {
  const { id, title, visibleToTrustedContact, deliverOn, createdAt } = ownersColumns;
  const isSealed = sql<boolean>`${messages.encryptedContent} is not null`;
  return executor
    .select({ id, title, visibleToTrustedContact, deliverOn, createdAt, isSealed })
    .from(messages)
    .where(which)
    .orderBy(asc(messages.position), asc(messages.createdAt), asc(messages.id));
}

/** Cancels the letters of a message that wait for their day. Returns true if there were any. */
export async function cancelWaitingLetters(tx: Executor, messageId: string, at: Date): Promise<boolean> {
  const rows = await tx
    .update(messageDeliveries)
    .set({ status: 'cancelled', endedAt: at })
    .where(and(eq(messageDeliveries.messageId, messageId), eq(messageDeliveries.status, 'waiting')))
    .returning({ id: messageDeliveries.id });
  return rows.length > 0;
}

export const attachmentColumns = {
  id: messages.id,
  userId: messages.userId,
  status: messages.status,
  deliveredAt: messages.deliveredAt,
  attachmentPath: messages.attachmentPath,
  attachmentOriginalName: messages.attachmentOriginalName,
  attachmentSize: messages.attachmentSize,
  attachmentMimeType: messages.attachmentMimeType,
  attachmentTranscript: messages.attachmentTranscript,
};

export type AttachmentRow = Pick<typeof messages.$inferSelect, keyof typeof attachmentColumns>;

/** Lists the words and files of all messages, oldest first. */
export function listForImport(executor: Executor, userId: string) {
  const { title, content, encryptedContent } = ownersColumns;
  return executor
    .select({ ...attachmentColumns, title, content, encryptedContent })
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
