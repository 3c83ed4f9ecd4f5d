import { and, asc, count, desc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { messageDeliveries, newAddressLinks } from './delivery.tables.ts';

export type DeliveryRow = typeof messageDeliveries.$inferSelect;
export type NewDelivery = typeof messageDeliveries.$inferInsert;
export type DeliveryChange = Partial<
  Pick<DeliveryRow, 'status' | 'deliveredAt' | 'accessedAt' | 'expiresAt' | 'endedAt' | 'remindersSent'>
>;

/** Writes a delivery and says whether it is new: a message that is on its way already is left alone. */
export async function insertDelivery(tx: Executor, row: NewDelivery): Promise<boolean> {
  const inserted = await tx
    .insert(messageDeliveries)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: messageDeliveries.id });
  return inserted.length === 1;
}

export async function findByTokenHash(executor: Executor, tokenHash: string): Promise<DeliveryRow | null> {
  const [row] = await executor.select().from(messageDeliveries).where(eq(messageDeliveries.deliveryToken, tokenHash));
  return row ?? null;
}

export async function findDelivery(executor: Executor, id: string): Promise<DeliveryRow | null> {
  const [row] = await executor.select().from(messageDeliveries).where(eq(messageDeliveries.id, id));
  return row ?? null;
}

/** Reads a delivery and keeps it to this transaction. The owner is locked before. */
export async function lockDelivery(tx: Executor, id: string): Promise<DeliveryRow | null> {
  const [row] = await tx.select().from(messageDeliveries).where(eq(messageDeliveries.id, id)).for('update');
  return row ?? null;
}

/** All deliveries of a cycle, kept to this transaction, always in the same order. The owner is locked before. */
export async function lockDeliveriesOfCycle(tx: Executor, cycleId: string): Promise<DeliveryRow[]> {
  return tx
    .select()
    .from(messageDeliveries)
    .where(eq(messageDeliveries.cycleId, cycleId))
    .orderBy(asc(messageDeliveries.id))
    .for('update');
}

export async function changeDelivery(tx: Executor, id: string, change: DeliveryChange): Promise<void> {
  await tx.update(messageDeliveries).set(change).where(eq(messageDeliveries.id, id));
}

/** A refused delivery in whose place another one went out says nothing any more of its message. */
const isCurrent = sql`not exists (
  select 1 from ${messageDeliveries} newer where newer.replaces_delivery_id = ${messageDeliveries}.id
)`;

/** How the deliveries of a cycle stand, each message counted once. */
export async function countByStatus(
  executor: Executor,
  cycleId: string,
): Promise<Partial<Record<DeliveryRow['status'], number>>> {
  const rows = await executor
    .select({ status: messageDeliveries.status, deliveries: count() })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.cycleId, cycleId), isCurrent))
    .groupBy(messageDeliveries.status);
  return Object.fromEntries(rows.map(({ status, deliveries }) => [status, deliveries]));
}

/** The deliveries of a cycle, each message once: a refused one gives way to the one that replaces it. */
export async function listDeliveriesOfCycle(executor: Executor, cycleId: string): Promise<DeliveryRow[]> {
  return executor
    .select()
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.cycleId, cycleId), isCurrent))
    .orderBy(desc(messageDeliveries.createdAt), asc(messageDeliveries.id));
}

/** Every delivery of a cycle, those that were replaced too, oldest first. */
export async function listAllOfCycle(executor: Executor, cycleId: string): Promise<DeliveryRow[]> {
  return executor
    .select()
    .from(messageDeliveries)
    .where(eq(messageDeliveries.cycleId, cycleId))
    .orderBy(asc(messageDeliveries.createdAt), asc(messageDeliveries.id));
}

export type NewAddressLink = typeof newAddressLinks.$inferSelect;

/** The same contact has the same link throughout a cycle. */
export async function keepNewAddressLink(tx: Executor, link: NewAddressLink): Promise<void> {
  await tx.insert(newAddressLinks).values(link).onConflictDoNothing();
}

export async function findNewAddressLink(executor: Executor, tokenHash: string): Promise<NewAddressLink | null> {
  const [row] = await executor.select().from(newAddressLinks).where(eq(newAddressLinks.tokenHash, tokenHash));
  return row ?? null;
}

type ReminderBounds = { at: Date; firstDeliveredUntil: Date; lastDeliveredUntil: Date; limit: number };

/** Letters that nobody has opened and whose next reminder may be due, the oldest first. */
export async function findUnopened(
  executor: Executor,
  { at, firstDeliveredUntil, lastDeliveredUntil, limit }: ReminderBounds,
): Promise<{ id: string; userId: string }[]> {
  const { remindersSent, deliveredAt } = messageDeliveries;
  return executor
    .select({ id: messageDeliveries.id, userId: messageDeliveries.userId })
    .from(messageDeliveries)
    .where(
      and(
        eq(messageDeliveries.status, 'accepted'),
        isNull(messageDeliveries.accessedAt),
        gt(messageDeliveries.expiresAt, at),
        or(
          and(eq(remindersSent, 0), lte(deliveredAt, firstDeliveredUntil)),
          and(eq(remindersSent, 1), lte(deliveredAt, lastDeliveredUntil)),
        ),
      ),
    )
    .orderBy(asc(deliveredAt), asc(messageDeliveries.id))
    .limit(limit);
}
