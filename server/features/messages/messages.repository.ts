import { and, asc, count, eq, inArray, max, ne, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { currentLetter } from './recipients.repository.ts';

/** What an owner is shown, sealed as it is stored. */
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
  attachmentTranscript: null,
};

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

/** The place behind all others. Exact only under the owner's lock. */
export async function nextPosition(tx: Executor, userId: string): Promise<number> {
  const [row] = await tx
    .select({ last: max(messages.position) })
    .from(messages)
    .where(eq(messages.userId, userId));
  return (row?.last ?? 0) + 1;
}

/** Gives what the message was, or null where this owner has no such message. */
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

/** What a release of an owner would hand over. */
export type Ready = {
  /** How many messages are ready. */
  messages: number;
  /** One for each of those they are for, by the recipient's id; without those who have theirs already. */
  letters: string[];
  /** When those of them go that have a day of their own. */
  ownDays: Map<string, DeliverOn>;
};

type ReadyRow = { user_id: string; message_id: string; recipient_id: string | null; deliver_on: DeliverOn };

const ready = statement<ReadyRow>(sql`
    select ${messages.userId} as user_id, ${messages.id} as message_id, recipient.id as recipient_id,
      ${messages.deliverOn} as deliver_on
    from ${messages} left join ${messageRecipients} recipient on recipient.message_id = ${messages.id}
      and not exists (select 1 from ${messageDeliveries} had where had.message_id = ${messages.id}
        and had.recipient_id = recipient.id and had.status in ('waiting', 'accepted'))
    where ${messages.userId} = any(${sql.placeholder('userIds')}::uuid[]) and ${messages.status} = 'ready'
    order by ${messages.position}, ${messages.createdAt}, ${messages.id}, recipient.position`);

/** What is ready of each owner, in the writer's order; an owner without anything is left out. */
export async function listReadyOf(executor: Executor, userIds: readonly string[]): Promise<Map<string, Ready>> {
  const grouped = Map.groupBy(await ready(executor, { userIds }), ({ user_id }) => user_id);
  return new Map(
    [...grouped].map(([userId, rows]) => [
      userId,
      {
        messages: new Set(rows.map(({ message_id }) => message_id)).size,
        letters: rows.flatMap(({ recipient_id }) => recipient_id ?? []),
        ownDays: new Map(
          rows.flatMap(({ recipient_id, deliver_on }) =>
            recipient_id && deliver_on !== null ? [[recipient_id, deliver_on] as const] : [],
          ),
        ),
      },
    ]),
  );
}

export async function countReadyMessages(executor: Executor, userId: string): Promise<number> {
  return (await countReadyMessagesOf(executor, [userId])).get(userId) ?? 0;
}

/** In the writer's order, which is the order of writing unless they chose another. */
export function listReadyMessages(executor: Executor, userId: string) {
  return listBriefly(executor, and(eq(messages.userId, userId), eq(messages.status, 'ready')));
}

/** The same of these messages, but for drafts. */
export function listSentMessages(executor: Executor, ids: readonly string[]) {
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

const fatesStored = statement(sql`
    update ${messages} set delivered_at = fate.first_at,
      status = case when fate.first_at is not null and fate.is_ended then 'delivered' else 'ready' end
    from (
      select recipient.message_id, min(letter.delivered_at) filter (where letter.status = 'accepted') as first_at,
        bool_and(coalesce(letter.status in ('accepted', 'bounced', 'unopened'), false)) as is_ended
      from ${messageRecipients} recipient
        left join lateral ${currentLetter(sql`recipient.id`, sql`recipient.message_id`)} letter on true
      where recipient.message_id = any(${sql.placeholder('ids')}::uuid[]) group by recipient.message_id
    ) fate
    where ${messages}.id = fate.message_id and ${messages}.status in ('ready', 'delivered')
      and (${messages}.delivered_at is distinct from fate.first_at
        or (${messages}.status = 'delivered') <> (fate.first_at is not null and fate.is_ended))`);

/**
 * Says of these messages what follows from their letters: delivered once each of those they are for has ended and one at
 * least has it, else ready. `delivered_at` is the first acceptance that still counts.
 */
export async function storeFates(tx: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await fatesStored(tx, { ids: [...new Set(ids)] });
}

/** What waits of a message for a day of its own waits no more. Gives whether there was anything. */
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

/** What tells one message from another, oldest first. */
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
