import { and, eq, isNull } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { checkouts, payments, subscriptions } from '#server/schema/billing.tables.ts';
import { voucherUsage } from '#server/schema/vouchers.tables.ts';

/**
 * Moves all purchases of an account, and open checkouts, to another account. Returns true if there are subscriptions,
 * those bought for the address alone included.
 */
export async function moveToAccount(
  tx: Executor,
  { from, to, email }: { from: string; to: string; email: string },
): Promise<boolean> {
  const moved = await tx.update(subscriptions).set({ userId: to }).where(eq(subscriptions.userId, from)).returning({
    id: subscriptions.id,
  });
  await tx.update(checkouts).set({ userId: to }).where(eq(checkouts.userId, from));
  await tx.update(payments).set({ userId: to, payerId: to }).where(eq(payments.userId, from));
  await tx.update(voucherUsage).set({ userId: to }).where(eq(voucherUsage.userId, from));
  const unclaimed = await tx.$count(subscriptions, and(eq(subscriptions.email, email), isNull(subscriptions.userId)));
  return moved.length > 0 || unclaimed > 0;
}
