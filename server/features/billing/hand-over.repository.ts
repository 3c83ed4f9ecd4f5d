import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { checkouts, payments, subscriptions } from './billing.tables.ts';
import { voucherUsage } from './vouchers.tables.ts';

/** Everything that was bought, or is being bought, with one account belongs to another from now on. */
export async function moveToAccount(tx: Executor, { from, to }: { from: string; to: string }): Promise<void> {
  await tx.update(subscriptions).set({ userId: to }).where(eq(subscriptions.userId, from));
  await tx.update(checkouts).set({ userId: to }).where(eq(checkouts.userId, from));
  await tx.update(payments).set({ userId: to, payerId: to }).where(eq(payments.userId, from));
  await tx.update(voucherUsage).set({ userId: to }).where(eq(voucherUsage.userId, from));
}
