import { and, count, desc, eq, gt, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { voucherCodes, voucherUsage } from '#server/schema/vouchers.tables.ts';

export type VoucherRow = typeof voucherCodes.$inferSelect;
type NewVoucher = typeof voucherCodes.$inferInsert;
/** Who uses which voucher, in which checkout. */
export type Use = { voucherCodeId: string; personHash: string; userId: string | null; checkoutId: string };

/** By its code in upper case. */
export async function findVoucher(executor: Executor, code: string): Promise<VoucherRow | null> {
  const [row] = await executor.select().from(voucherCodes).where(eq(voucherCodes.code, code));
  return row ?? null;
}

/** Takes the row until the end of the transaction: whoever counts uses holds it. */
export async function lockVoucher(tx: Executor, id: string): Promise<VoucherRow | null> {
  const [row] = await tx.select().from(voucherCodes).where(eq(voucherCodes.id, id)).for('update');
  return row ?? null;
}

/** Uses that are spent, or held at this moment, by anybody but this person. */
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

/** Holds a use for this person; an earlier hold of theirs moves to this checkout. The voucher's row is locked. */
export async function holdVoucher(tx: Executor, use: Use, heldUntil: Date): Promise<void> {
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

/** Turns what is held into a use that counts for good. Gives false where this person has spent it already. */
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

/** Whether this checkout has spent it. */
export async function isSpentBy(executor: Executor, { voucherCodeId, checkoutId }: Use): Promise<boolean> {
  const [row] = await executor
    .select({ id: voucherUsage.id })
    .from(voucherUsage)
    .where(spentBy(voucherCodeId, checkoutId));
  return row !== undefined;
}

/** Takes back what this checkout has spent. Gives false where it has spent nothing. */
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

/** Counts one use more, and never fewer than there are rows. Gives false where that would be more than there may be. */
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

/** Gives back what a checkout held and did not spend. */
export async function releaseHold(tx: Executor, checkoutId: string): Promise<void> {
  await tx.delete(voucherUsage).where(and(eq(voucherUsage.checkoutId, checkoutId), isNull(voucherUsage.usedAt)));
}

/** Removes holds that have run out; they count for nothing. */
export async function deleteLapsedHolds(tx: Executor, at: Date): Promise<void> {
  await tx.delete(voucherUsage).where(lte(voucherUsage.heldUntil, at));
}

/** Gives false where there is such a code. */
export async function insertVoucher(tx: Executor, voucher: NewVoucher): Promise<boolean> {
  const made = await tx
    .insert(voucherCodes)
    .values(voucher)
    .onConflictDoNothing({ target: voucherCodes.code })
    .returning({ id: voucherCodes.id });
  return made.length > 0;
}

/** Gives its id, or null where there is no such code. */
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
