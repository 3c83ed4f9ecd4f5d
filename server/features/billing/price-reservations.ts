import type { App } from '#server/app.ts';
import { returnVoucher, spendVoucher, spendVoucherIfLeft } from '#server/features/vouchers/vouchers.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type CheckoutRow, storeCheckoutPaid, storeCheckoutStatus } from './checkouts.repository.ts';
import { isInForce } from './subscription-rows.ts';
import type { SubscriptionRow } from './subscriptions.repository.ts';

type Agreement = { asked: readonly CheckoutRow[]; row: SubscriptionRow; agreedId: string | null; at: Date };

/**
 * Spends the voucher of an agreed change, because its payment may be a year away. Undoes the uses of changes that will not
 * happen. Returns true if the agreed change must be refused, because its voucher has no use left.
 */
export async function followPrices(app: App, tx: Executor, { asked, row, agreedId, at }: Agreement): Promise<boolean> {
  for (const checkout of asked) {
    const isAgreed = checkout.status === 'agreed' || checkout.status === 'refused';
    if (isAgreed && checkout.id !== agreedId && !isInForce(checkout, row)) await drop(app, tx, checkout, row, at);
  }
  const agreed = asked.find(({ id }) => id === agreedId);
  if (agreed?.status !== 'open' && agreed?.status !== 'expired') return agreed?.status === 'refused';
  const voucher = voucherOf(agreed, row.userId);
  const isKept = !voucher || (await spendVoucherIfLeft(app, tx, voucher, at));
  await storeCheckoutStatus(tx, agreed.id, isKept ? 'agreed' : 'refused');
  return !isKept;
}

/** Marks the checkouts whose price is in force as paid, and spends their vouchers. */
export async function closePrices(
  app: App,
  tx: Executor,
  asked: readonly CheckoutRow[],
  row: SubscriptionRow,
  at: Date,
): Promise<void> {
  // Two changes to one price are one change that was started twice.
  const change = asked.findLast((checkout) => checkout.purpose === 'change' && isInForce(checkout, row));
  for (const checkout of asked) {
    const isDone = checkout.purpose === 'subscribe' || checkout === change;
    if (checkout.status === 'paid' || !isDone) continue;
    await storeCheckoutPaid(tx, checkout.id, at);
    const voucher = voucherOf(checkout, row.userId);
    if (voucher) await spendVoucher(app, tx, voucher, at);
  }
}

async function drop(
  app: App,
  tx: Executor,
  checkout: CheckoutRow,
  { userId }: SubscriptionRow,
  at: Date,
): Promise<void> {
  await storeCheckoutStatus(tx, checkout.id, 'expired');
  const voucher = voucherOf(checkout, userId);
  if (voucher) await returnVoucher(app, tx, voucher, at);
}

function voucherOf({ id: checkoutId, voucherCodeId, email }: CheckoutRow, userId: string | null) {
  return voucherCodeId && { checkoutId, voucherCodeId, email, userId };
}
