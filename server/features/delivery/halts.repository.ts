import { and, asc, eq, inArray, ne, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { messageDeliveries, releaseHalts } from '#server/schema/delivery.tables.ts';
import { type DeliveryRow, isCurrent } from './delivery.repository.ts';

export type HaltRow = typeof releaseHalts.$inferSelect;
export type HaltableDelivery = Pick<
  DeliveryRow,
  'id' | 'userId' | 'messageId' | 'mailId' | 'status' | 'accessedAt' | 'recipientEmail'
>;

const isUnsent = eq(messageDeliveries.status, 'pending');

/** Number of letters of a release that have not ended. */
export function countUnsent(executor: Executor, requestId: string): Promise<number> {
  return executor.$count(messageDeliveries, and(eq(messageDeliveries.requestId, requestId), isUnsent));
}

/**
 * Deliveries of a release, locked for this transaction in a fixed order. With `mails`, letters that have not ended are
 * limited to these mails. The caller locks the owner before.
 */
export async function lockDeliveriesOf(
  tx: Executor,
  requestId: string,
  ofMails?: readonly string[],
): Promise<HaltableDelivery[]> {
  const { id, userId, messageId, mailId, status, accessedAt, recipientEmail } = messageDeliveries;
  return tx
    .select({ id, userId, messageId, mailId, status, accessedAt, recipientEmail })
    .from(messageDeliveries)
    .where(
      and(
        eq(messageDeliveries.requestId, requestId),
        ofMails && or(ne(status, 'pending'), inArray(mailId, [...ofMails])),
      ),
    )
    .orderBy(asc(messageDeliveries.id))
    .for('update');
}

const deliveriesHalted = statement(sql`
    update ${messageDeliveries} set status = halted.status, ended_at = ${sql.placeholder('at')}::timestamptz
    from unnest(${sql.placeholder('ids')}::uuid[], ${sql.placeholder('statuses')}::text[]) as halted (id, status)
    where ${messageDeliveries}.id = halted.id`);

/** Ends deliveries that are locked, each as it is given. */
export async function haltDeliveries(
  tx: Executor,
  { halted, at }: { halted: readonly Pick<DeliveryRow, 'id' | 'status'>[]; at: Date },
): Promise<void> {
  await deliveriesHalted(tx, {
    ids: halted.map(({ id }) => id),
    statuses: halted.map(({ status }) => status),
    at: at.toISOString(),
  });
}

/** Cancels letters of a release that have not ended. Returns them. */
export function cancelUnsent(
  tx: Executor,
  { requestId, at }: { requestId: string; at: Date },
): Promise<Pick<DeliveryRow, 'id' | 'userId' | 'messageId'>[]> {
  const { id, userId, messageId } = messageDeliveries;
  return tx
    .update(messageDeliveries)
    .set({ status: 'cancelled', endedAt: at })
    .where(and(eq(messageDeliveries.requestId, requestId), isUnsent))
    .returning({ id, userId, messageId });
}

/** The mails of an owner that belong to other releases, as a query for another feature's statement. */
export function mailsOfOthers(executor: Executor, { userId, requestId }: Pick<HaltRow, 'userId' | 'requestId'>) {
  return executor
    .select({ id: sql<string>`${messageDeliveries.mailId}`.as('id') })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.userId, userId), ne(messageDeliveries.requestId, requestId)));
}

/** Counts of stopped letters as reported to the owner. */
export async function countStopped(
  executor: Executor,
  requestId: string,
  leaving: readonly string[],
): Promise<{ sent: number; opened: number; mayArrive: number }> {
  const { status, mailId, deliveredAt, accessedAt } = messageDeliveries;
  const mayArrive = and(eq(status, 'cancelled'), inArray(mailId, [...leaving]));
  const [row] = await executor
    .select({
      sent: sql<number>`count(${deliveredAt})::int`,
      opened: sql<number>`count(${accessedAt})::int`,
      mayArrive: sql<number>`count(*) filter (where ${mayArrive})::int`,
    })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.requestId, requestId), isCurrent));
  return row ?? { sent: 0, opened: 0, mayArrive: 0 };
}

export async function insertHalt(tx: Executor, halt: HaltRow): Promise<void> {
  await tx.insert(releaseHalts).values(halt);
}

export async function deleteHalt(tx: Executor, requestId: string): Promise<void> {
  await tx.delete(releaseHalts).where(eq(releaseHalts.requestId, requestId));
}

/** Rows of one owner, or of all. */
export function listHalts(executor: Executor, userId?: string): Promise<HaltRow[]> {
  const ofOwner = userId === undefined ? undefined : eq(releaseHalts.userId, userId);
  return executor.select().from(releaseHalts).where(ofOwner).orderBy(asc(releaseHalts.haltedAt));
}
