import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { checkouts, subscriptions } from '#server/schema/billing.tables.ts';
import { voucherUsage } from '#server/schema/vouchers.tables.ts';

/**
 * What names somebody by their address and not by their account, and would stay when the account goes. That a voucher
 * was used stays, without by whom.
 */
export async function forgetAddress(
  tx: Executor,
  { userId, email, voucherPerson }: { userId: string; email: string; voucherPerson: string },
): Promise<void> {
  await tx
    .update(voucherUsage)
    .set({ personHash: sql`'nobody-' || gen_random_uuid()` })
    .where(or(eq(voucherUsage.userId, userId), eq(voucherUsage.personHash, voucherPerson)));
  await tx.delete(checkouts).where(and(eq(checkouts.email, email), isNull(checkouts.userId)));
  await tx.delete(subscriptions).where(and(eq(subscriptions.email, email), isNull(subscriptions.userId)));
}
