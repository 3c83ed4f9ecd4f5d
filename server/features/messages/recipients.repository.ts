import { and, asc, eq, inArray, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { messageDeliveries, statusNow } from '#server/schema/delivery.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import type { DeliveryStatus } from '#shared/rules/deliveries.ts';
import type { SealedRecipient } from './recipients.sealing.ts';

/** A recipient, sealed, with the status of their letter. The status is null if there is no letter yet. */
export type RecipientRow = SealedRecipient & {
  messageId: string;
  position: number;
  addressSince: Date;
  status: DeliveryStatus | null;
  openedAt: Date | null;
};

/**
 * Selects the letter that counts for a recipient: the one that is waiting, queued or accepted, else the newest. A letter to
 * another address counts in place of the refused one.
 */
export const currentLetter = (recipientId: SQL, messageId: SQL): SQL => sql`(
  select ${statusNow} as status, delivered_at, accessed_at from ${messageDeliveries}
  where recipient_id = ${recipientId} and message_id = ${messageId}
  order by (status in ('waiting', 'pending', 'accepted')) desc, created_at desc, id desc limit 1
)`;

const isCurrent = sql`${messageDeliveries.id} = (
  select newest.id from ${messageDeliveries} newest
  where newest.recipient_id = ${messageRecipients.id} and newest.message_id = ${messageRecipients.messageId}
  order by (newest.status in ('waiting', 'pending', 'accepted')) desc, newest.created_at desc, newest.id desc limit 1
)`;

const columns = {
  id: messageRecipients.id,
  messageId: messageRecipients.messageId,
  position: messageRecipients.position,
  person: messageRecipients.person,
  addressSince: messageRecipients.addressSince,
  status: sql<DeliveryStatus | null>`${statusNow}`.as('status'),
  openedAt: messageDeliveries.accessedAt,
};

function recipientsWith(executor: Executor) {
  return executor.select(columns).from(messageRecipients).leftJoin(messageDeliveries, isCurrent);
}

/** Lists the recipients of an owner's messages by message, in the writer's order. */
export async function recipientsByMessage(executor: Executor, userId: string): Promise<Map<string, RecipientRow[]>> {
  const rows = await recipientsWith(executor)
    .innerJoin(messages, eq(messages.id, messageRecipients.messageId))
    .where(eq(messages.userId, userId))
    .orderBy(asc(messageRecipients.messageId), asc(messageRecipients.position));
  return Map.groupBy(rows, ({ messageId }) => messageId);
}

/** Lists the recipients of these messages by message, in the writer's order. */
export async function recipientsOfMessages(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, RecipientRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await recipientsWith(executor)
    .where(inArray(messageRecipients.messageId, [...ids]))
    .orderBy(asc(messageRecipients.messageId), asc(messageRecipients.position));
  return Map.groupBy(rows, ({ messageId }) => messageId);
}

/** Recipients as a statement takes them, however many there are. */
export const recipientRows = recordSet(messageRecipients, ['id', 'messageId', 'position', 'person', 'addressSince']);
export type NewRecipient = Parameters<typeof recipientRows.encode>[0][number];

const recipientsInserted = statement(
  sql`insert into message_recipients (${recipientRows.names}) select ${recipientRows.names} from ${recipientRows.source}`,
);

const rowsPerInsert = 500;

export async function insertRecipients(tx: Executor, rows: readonly NewRecipient[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    await recipientsInserted(tx, { rows: recipientRows.encode(rows.slice(at, at + rowsPerInsert)) });
  }
}

/** Replaces all recipients of a message. */
export async function replaceRecipients(tx: Executor, messageId: string, rows: readonly NewRecipient[]): Promise<void> {
  await tx.delete(messageRecipients).where(eq(messageRecipients.messageId, messageId));
  await insertRecipients(tx, rows);
}

const ofUndelivered = (userId: string) => and(eq(messages.userId, userId), ne(messages.status, 'delivered'));

/** Lists the recipients of an owner's undelivered messages, the oldest address first. `before` leaves out addresses since then. */
export async function listUndeliveredRecipients(
  executor: Executor,
  userId: string,
  before?: Date,
): Promise<(SealedRecipient & { addressSince: Date })[]> {
  const { id, person, addressSince } = messageRecipients;
  return executor
    .select({ id, person, addressSince })
    .from(messageRecipients)
    .innerJoin(messages, eq(messages.id, messageRecipients.messageId))
    .where(and(ofUndelivered(userId), before && lt(addressSince, before)))
    .orderBy(asc(addressSince), asc(id));
}

/** Recipients of an owner's undelivered messages with these ids, in no order. */
export async function listUndeliveredByIds(
  executor: Executor,
  userId: string,
  ids: readonly string[],
): Promise<SealedRecipient[]> {
  const { id, person } = messageRecipients;
  return executor
    .select({ id, person })
    .from(messageRecipients)
    .innerJoin(messages, eq(messages.id, messageRecipients.messageId))
    .where(and(ofUndelivered(userId), inArray(id, [...ids])));
}

/** Recipients of all ready and delivered messages of an owner. A draft's recipients do not count: it promises nothing yet. */
export async function listPromisedRecipients(executor: Executor, userId: string): Promise<SealedRecipient[]> {
  const { id, person } = messageRecipients;
  return executor
    .select({ id, person })
    .from(messageRecipients)
    .innerJoin(messages, eq(messages.id, messageRecipients.messageId))
    .where(and(eq(messages.userId, userId), ne(messages.status, 'draft')));
}

/** True if any address of undelivered messages was neither given nor confirmed since `before`. */
export async function hasRecipientSince(
  executor: Executor,
  { userId, before }: { userId: string; before: Date },
): Promise<boolean> {
  const rows = await executor
    .select({ id: messageRecipients.id })
    .from(messageRecipients)
    .innerJoin(messages, eq(messages.id, messageRecipients.messageId))
    .where(and(ofUndelivered(userId), lt(messageRecipients.addressSince, before)))
    .limit(1);
  return rows.length > 0;
}

/** Records that the addresses of these recipients are right. */
export async function confirmRecipients(tx: Executor, ids: readonly string[], at: Date): Promise<void> {
  await tx
    .update(messageRecipients)
    .set({ addressSince: at })
    .where(inArray(messageRecipients.id, [...ids]));
}
