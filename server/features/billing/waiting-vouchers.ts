import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { spendVoucherIfActive, voucherPersonOf } from '#server/features/vouchers/vouchers.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { unverifiedAccountDays } from '#shared/rules/retention.ts';
import { governing, rankOf } from './billing.rules.ts';
import { sendVoucherSpent, sendVoucherWaits } from './billing-letters.ts';
import { type CheckoutRow, listWaitingVouchers, storeCheckoutStatus } from './checkouts.repository.ts';
import { activateFreePlan } from './settlement.ts';
import { freeRow } from './subscription-rows.ts';
import { listSubscriptions } from './subscriptions.repository.ts';

/**
 * Time in which a visitor or an unverified owner can verify the address to get a plan that a voucher makes free. Until
 * then the voucher is neither used nor reserved: otherwise a stranger with made-up addresses could use up all of it.
 */
export const waitingVoucherMs = unverifiedAccountDays * dayMs;

/**
 * Emails a visitor that the voucher waits for a verified address. Each voucher and mailbox gets one email, because a
 * visitor can type any address. A signed-in owner reads it on the page.
 */
export async function tellWaiting(app: App, tx: Executor, checkout: CheckoutRow, at: Date): Promise<void> {
  if (checkout.userId !== null) return;
  const key = `${checkout.voucherCodeId}:${voucherPersonOf(app, checkout.email)}`;
  await sendVoucherWaits(app, tx, freeRow(checkout, null, at), { key, at });
}

/**
 * Uses the vouchers that wait for this verified address, the highest plan first. A voucher that was typed signed out gives only a
 * higher plan, and none beside a subscription: a stranger may have typed it. The others end unused. If a voucher has no use left,
 * its owner stays on the plan they have and is emailed. The owner's row is locked.
 */
export async function claimWaitingVouchers(
  app: App,
  tx: Executor,
  { owner, at }: { owner: OwnerRow; at: Date },
): Promise<void> {
  const waiting = await listWaitingVouchers(tx, owner, at);
  if (waiting.length === 0) return;
  const isSubscribed = governing(await listSubscriptions(tx, owner.id)) !== null;
  let rank = isSubscribed ? Number.POSITIVE_INFINITY : rankOf(owner.plan);
  for (const checkout of waiting.toSorted((one, other) => rankOf(other.plan) - rankOf(one.plan))) {
    const isUsable = checkout.userId === owner.id || rankOf(checkout.plan) > rank;
    if (isUsable && (await isTaken(app, tx, { owner, checkout, at }))) {
      await activateFreePlan(app, tx, { ...checkout, userId: owner.id }, at);
      rank = Number.POSITIVE_INFINITY;
      continue;
    }
    await storeCheckoutStatus(tx, checkout.id, 'expired');
    if (isUsable) await sendVoucherSpent(app, tx, freeRow(checkout, owner, at), owner, at);
  }
}

type Wanted = { owner: OwnerRow; checkout: CheckoutRow; at: Date };

async function isTaken(app: App, tx: Executor, { owner, checkout, at }: Wanted) {
  const { id: checkoutId, voucherCodeId } = checkout;
  if (!voucherCodeId) return false;
  return spendVoucherIfActive(app, tx, { voucherCodeId, checkoutId, userId: owner.id, email: owner.email }, at);
}
