import type { Vouchers } from '#server/features/vouchers/vouchers.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type CheckoutRow, storeCheckoutPaid, storeCheckoutStatus } from './checkouts.repository.ts';
import { isInForce } from './subscription-rows.ts';
import type { SubscriptionRow } from './subscriptions.repository.ts';

type Agreement = { asked: readonly CheckoutRow[]; row: SubscriptionRow; agreedId: string | null; at: Date };

/** What becomes of the prices that were asked in one purchase, and of the vouchers behind them. */
export type PriceReservations = {
  /**
   * A change that was agreed to uses its voucher at once, since its payment may be a year away; one that is not to come
   * any more gives it back. Gives whether it has to be refused, because its voucher has no use left.
   */
  follow(tx: Executor, agreement: Agreement): Promise<boolean>;
  /** What was asked and is now the case has been paid, and its voucher is used. */
  close(tx: Executor, asked: readonly CheckoutRow[], row: SubscriptionRow, at: Date): Promise<void>;
};

export function createPriceReservations(vouchers: Pick<Vouchers, 'take' | 'giveBack' | 'spend'>): PriceReservations {
  async function drop(tx: Executor, checkout: CheckoutRow, { userId }: SubscriptionRow, at: Date): Promise<void> {
    await storeCheckoutStatus(tx, checkout.id, 'expired');
    const voucher = voucherOf(checkout, userId);
    if (voucher) await vouchers.giveBack(tx, voucher, at);
  }

  return {
    async follow(tx, { asked, row, agreedId, at }) {
      for (const checkout of asked) {
        const isAgreed = checkout.status === 'agreed' || checkout.status === 'refused';
        if (isAgreed && checkout.id !== agreedId && !isInForce(checkout, row)) await drop(tx, checkout, row, at);
      }
      const agreed = asked.find(({ id }) => id === agreedId);
      if (agreed?.status !== 'open' && agreed?.status !== 'expired') return agreed?.status === 'refused';
      const voucher = voucherOf(agreed, row.userId);
      const isKept = !voucher || (await vouchers.take(tx, voucher, at));
      await storeCheckoutStatus(tx, agreed.id, isKept ? 'agreed' : 'refused');
      return !isKept;
    },

    async close(tx, asked, row, at) {
      // Two changes to the same price are one that was begun twice.
      const change = asked.findLast((checkout) => checkout.purpose === 'change' && isInForce(checkout, row));
      for (const checkout of asked) {
        const isDone = checkout.purpose === 'subscribe' || checkout === change;
        if (checkout.status === 'paid' || !isDone) continue;
        await storeCheckoutPaid(tx, checkout.id, at);
        const voucher = voucherOf(checkout, row.userId);
        if (voucher) await vouchers.spend(tx, voucher, at);
      }
    },
  };
}

function voucherOf({ id: checkoutId, voucherCodeId, email }: CheckoutRow, userId: string | null) {
  return voucherCodeId && { checkoutId, voucherCodeId, email, userId };
}
