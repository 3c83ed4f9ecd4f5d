import { and, count, desc, eq, gt, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { voucherCodes, voucherUsage } from '#server/schema/vouchers.tables.ts';

export type VoucherRow = typeof voucherCodes.$inferSelect;
type NewVoucher = typeof voucherCodes.$inferInsert;
export type Use = { voucherCodeId: string; personHash: string; userId: string | null; checkoutId: string };

/** Finds a voucher by its normalized code. */
export async function findVoucher(executor: Executor, code: string): Promise<VoucherRow | null> {
  const [row] = await executor.select().from(voucherCodes).where(eq(voucherCodes.code, code));
  return row ?? null;
}

/** Locks the row until the transaction ends. Every caller that counts uses locks it. */
export async function lockVoucher(tx: Executor, id: string): Promise<VoucherRow | null> {
  const [row] = await tx.select().from(voucherCodes).where(eq(voucherCodes.id, id)).for('update');
  return row ?? null;
}

/** Number of uses by other people that are spent or reserved now. */
export async function countTakenUses(
  executor: Executor,
  { voucherCodeId, personHash, at }: { voucherCodeId: string; personHash: string | null; at: Date },
): Promise<number> {
  const isTaken = or(isNotNull(voucherUsage.usedAt), gt(voucherUsage.heldUntil, at));
  const isOther = personHash === null ? undefined : ne(voucherUsage.personHash, personHash);
  const [row] = await executor
    .select({ count: count() })
    .from(voucherUsage)
    .where(and(eq(voucherUsage.voucherCodeId, voucherCodeId), isTaken, isOther));
  return row?.count ?? 0;
}

export async function hasSpentVoucher(executor: Executor, voucherCodeId: string, personHash: string): Promise<boolean> {
  const [row] = await executor
    .select({ id: voucherUsage.id })
    .from(voucherUsage)
    .where(
      and(
        eq(voucherUsage.voucherCodeId, voucherCodeId),
        eq(voucherUsage.personHash, personHash),
        isNotNull(voucherUsage.usedAt),
      ),
    );
  return row !== undefined;
}

/**
 * Reserves a use for this person. An earlier reservation of theirs moves to this checkout. The voucher's row is locked.
 */
export async function insertReservation(tx: Executor, use: Use, heldUntil: Date): Promise<void> {
  const { checkoutId, userId } = use;
  await tx
    .insert(voucherUsage)
    .values({ ...use, heldUntil })
    .onConflictDoUpdate({
      target: [voucherUsage.voucherCodeId, voucherUsage.personHash],
      set: { checkoutId, userId, heldUntil },
      setWhere: isNull(voucherUsage.usedAt),
    });
}

/** Turns a reservation into a spent use. Returns false if this person has spent the voucher already. */
export async function spendVoucher(tx: Executor, use: Use, usedAt: Date): Promise<boolean> {
  const { checkoutId, userId } = use;
  const spent = await tx
    .insert(voucherUsage)
    .values({ ...use, usedAt })
    .onConflictDoUpdate({
      target: [voucherUsage.voucherCodeId, voucherUsage.personHash],
      set: { checkoutId, userId, usedAt, heldUntil: null },
      setWhere: isNull(voucherUsage.usedAt),
    })
    .returning({ id: voucherUsage.id });
  return spent.length > 0;
}

/** True if this checkout has spent it. */
export async function isSpentBy(executor: Executor, { voucherCodeId, checkoutId }: Use): Promise<boolean> {
  const [row] = await executor
    .select({ id: voucherUsage.id })
    .from(voucherUsage)
    .where(spentBy(voucherCodeId, checkoutId));
  return row !== undefined;
}

/** Undoes the use that this checkout has spent. Returns false if it has spent none. */
export async function unspendVoucher(tx: Executor, { voucherCodeId, checkoutId }: Use): Promise<boolean> {
  const gone = await tx
    .delete(voucherUsage)
    .where(spentBy(voucherCodeId, checkoutId))
    .returning({ id: voucherUsage.id });
  return gone.length > 0;
}

function spentBy(voucherCodeId: string, checkoutId: string) {
  return and(
    eq(voucherUsage.voucherCodeId, voucherCodeId),
    eq(voucherUsage.checkoutId, checkoutId),
    isNotNull(voucherUsage.usedAt),
  );
}

/** Counts one use less. */
export async function uncountVoucherUse(tx: Executor, voucherCodeId: string): Promise<void> {
  await tx
    .update(voucherCodes)
    .set({ currentUses: sql`greatest(${voucherCodes.currentUses} - 1, 0)` })
    .where(eq(voucherCodes.id, voucherCodeId));
}

/** Counts one more use, and at least as many as there are rows. Returns false if that exceeds the limit. */
export async function countVoucherUse(tx: Executor, voucherCodeId: string): Promise<boolean> {
  const counted = await tx
    .update(voucherCodes)
    .set({
      currentUses: sql`greatest(${voucherCodes.currentUses} + 1, (
        select count(*)::int from ${voucherUsage}
        where ${voucherUsage.voucherCodeId} = ${voucherCodeId} and ${voucherUsage.usedAt} is not null
      ))`,
    })
    .where(
      and(
        eq(voucherCodes.id, voucherCodeId),
        or(isNull(voucherCodes.maxUses), sql`${voucherCodes.currentUses} < ${voucherCodes.maxUses}`),
      ),
    )
    .returning({ id: voucherCodes.id });
  return counted.length > 0;
}

/** Deletes a reservation that the checkout did not spend. */
export async function deleteReservation(tx: Executor, checkoutId: string): Promise<void> {
  await tx.delete(voucherUsage).where(and(eq(voucherUsage.checkoutId, checkoutId), isNull(voucherUsage.usedAt)));
}

/** Deletes expired reservations, which count as no use. */
export async function deleteExpiredReservations(tx: Executor, at: Date): Promise<void> {
  await tx.delete(voucherUsage).where(lte(voucherUsage.heldUntil, at));
}

/** Returns false if the code exists. */
export async function insertVoucher(tx: Executor, voucher: NewVoucher): Promise<boolean> {
  const made = await tx
    .insert(voucherCodes)
    .values(voucher)
    .onConflictDoNothing({ target: voucherCodes.code })
    .returning({ id: voucherCodes.id });
  return made.length > 0;
}

/** Returns its id, or null if the code is unknown. */
export async function disableVoucher(tx: Executor, code: string): Promise<string | null> {
  const [row] = await tx
    .update(voucherCodes)
    .set({ isActive: false })
    .where(eq(voucherCodes.code, code))
    .returning({ id: voucherCodes.id });
  return row?.id ?? null;
}

export function listVouchers(executor: Executor): Promise<VoucherRow[]> {
  return executor.select().from(voucherCodes).orderBy(desc(voucherCodes.createdAt), voucherCodes.code);
}
