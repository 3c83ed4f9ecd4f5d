import { desc, eq, isNull, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { complaints } from '#server/schema/complaints.tables.ts';

export type ComplaintRow = typeof complaints.$inferSelect;

export async function insertComplaint(tx: Executor, row: typeof complaints.$inferInsert): Promise<void> {
  await tx.insert(complaints).values(row);
}

/**
 * Returns a page of complaints: open ones first, then answered ones, the newest of each first. Null if `after` names no
 * complaint.
 */
export async function findComplaints(
  executor: Executor,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ComplaintRow[] | null> {
  const [last] = after === undefined ? [] : await executor.select().from(complaints).where(eq(complaints.id, after));
  if (after !== undefined && !last) return null;
  const isOpen = isNull(complaints.closedAt);
  const comesLater = last
    ? sql`(${isOpen}, ${complaints.receivedAt}, ${complaints.id})
        < (${last.closedAt === null}::boolean, ${last.receivedAt.toISOString()}::timestamptz, ${last.id}::uuid)`
    : undefined;
  return executor
    .select()
    .from(complaints)
    .where(comesLater)
    .orderBy(desc(isOpen), desc(complaints.receivedAt), desc(complaints.id))
    .limit(limit);
}

export async function lockComplaint(tx: Executor, id: string): Promise<ComplaintRow | null> {
  const [row] = await tx.select().from(complaints).where(eq(complaints.id, id)).for('update');
  return row ?? null;
}

export async function storeReceipt(
  tx: Executor,
  id: string,
  { acknowledgedAt, receiptFailedAt }: Pick<ComplaintRow, 'acknowledgedAt' | 'receiptFailedAt'>,
): Promise<void> {
  await tx.update(complaints).set({ acknowledgedAt, receiptFailedAt }).where(eq(complaints.id, id));
}

/** Closes a complaint and returns its row. A complaint that is closed already keeps its time. */
export async function storeClosed(tx: Executor, id: string, closedAt: Date): Promise<ComplaintRow> {
  const kept = sql`coalesce(${complaints.closedAt}, ${closedAt})`;
  const [row] = await tx.update(complaints).set({ closedAt: kept }).where(eq(complaints.id, id)).returning();
  if (!row) throw new Error('A locked complaint is gone.');
  return row;
}
