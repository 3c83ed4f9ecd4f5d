import { and, asc, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import type { DeliveryRow } from './delivery.repository.ts';
import { expiryOf } from './delivery.rules.ts';

/* Letters with a day of their own. Until it comes no mail brings them; afterwards they are letters like all others. */

const isWaiting = eq(messageDeliveries.status, 'waiting');

/**
 * Waiting letters of an owner for these recipients, in the writer's order, locked for this transaction. The caller
 * locks the owner before.
 */
export function lockWaitingFor(tx: Executor, userId: string, recipientIds: readonly string[]): Promise<DeliveryRow[]> {
  return tx
    .select(getTableColumns(messageDeliveries))
    .from(messageDeliveries)
    .innerJoin(messages, eq(messages.id, messageDeliveries.messageId))
    .where(
      and(eq(messageDeliveries.userId, userId), isWaiting, inArray(messageDeliveries.recipientId, [...recipientIds])),
    )
    .orderBy(asc(messages.position), asc(messages.createdAt), asc(messages.id), asc(messageDeliveries.id))
    .for('update', { of: messageDeliveries });
}

/** Waiting letters of one person in a release. */
export function lockWaitingOfPerson(tx: Executor, { requestId, personKey }: DeliveryRow): Promise<DeliveryRow[]> {
  return tx
    .select()
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.requestId, requestId), eq(messageDeliveries.personKey, personKey), isWaiting))
    .orderBy(asc(messageDeliveries.id))
    .for('update');
}

const deliveriesStarted = statement(sql`
    update ${messageDeliveries} set status = 'pending', mail_id = started.mail_id,
      expires_at = ${sql.placeholder('expiresAt')}::timestamptz
    from unnest(${sql.placeholder('ids')}::uuid[], ${sql.placeholder('mailIds')}::uuid[]) as started (id, mail_id)
    where ${messageDeliveries}.id = started.id`);

/** Starts these deliveries, each with the given mail. */
export async function startDeliveries(
  tx: Executor,
  letters: readonly Pick<DeliveryRow, 'id' | 'mailId'>[],
  at: Date,
): Promise<void> {
  await deliveriesStarted(tx, {
    ids: letters.map(({ id }) => id),
    mailIds: letters.map(({ mailId }) => mailId),
    expiresAt: new Date(expiryOf(at.getTime())).toISOString(),
  });
}

/** Deletes waiting deliveries of damaged letters. A repaired letter gets a new one. */
export async function removeWaiting(tx: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(messageDeliveries).where(inArray(messageDeliveries.id, [...ids]));
}

/** Cancels an owner's waiting letters. Returns the messages. */
export async function cancelWaiting(tx: Executor, userId: string, at: Date): Promise<string[]> {
  const rows = await tx
    .update(messageDeliveries)
    .set({ status: 'cancelled', endedAt: at })
    .where(and(eq(messageDeliveries.userId, userId), isWaiting))
    .returning({ messageId: messageDeliveries.messageId });
  return rows.map(({ messageId }) => messageId);
}

export async function updateWaitingAddress(
  tx: Executor,
  id: string,
  to: Pick<DeliveryRow, 'recipientEmail' | 'recipientName' | 'personKey' | 'deliveryToken' | 'addressFrom'>,
): Promise<void> {
  await tx.update(messageDeliveries).set(to).where(eq(messageDeliveries.id, id));
}

/** Times at which further letters for the same person leave, of those that their writer announces. */
export async function listAnnounced(executor: Executor, { requestId, personKey }: DeliveryRow): Promise<Date[]> {
  const { dueAt } = messageDeliveries;
  const rows = await executor
    .select({ dueAt: sql<Date>`${dueAt}`.mapWith(dueAt) })
    .from(messageDeliveries)
    .innerJoin(messages, eq(messages.id, messageDeliveries.messageId))
    .where(
      and(
        eq(messageDeliveries.requestId, requestId),
        eq(messageDeliveries.personKey, personKey),
        isWaiting,
        eq(messages.announceWait, true),
      ),
    )
    .orderBy(asc(dueAt));
  return rows.map((row) => row.dueAt);
}

/** Number of the owner's release, for the links of its letters. */
export async function releaseNumberOf(executor: Executor, requestId: string): Promise<number> {
  const [row] = await executor
    .select({ number: releaseRequests.releaseNumber })
    .from(releaseRequests)
    .where(eq(releaseRequests.id, requestId));
  return row?.number ?? 0;
}
