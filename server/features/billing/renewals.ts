import type { Logger } from 'pino';
import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { deleteLapsedVoucherReservations } from '#server/features/vouchers/vouchers.ts';
import { PaymentError, type PaymentProvider, type ProviderSubscription } from '#server/platform/payments/payments.ts';
import { isSandbox } from '#server/platform/payments/sandbox-provider.ts';
import { isLive, isSuperseded } from './billing.rules.ts';
import { sendLeft, sendSuperseded } from './billing-letters.ts';
import { deleteAbandonedCheckouts, expireOldCheckouts, findChange } from './checkouts.repository.ts';
import { noteProviderAnswer, receiveWebhookNow } from './payment-events.ts';
import { sendPlanEnding } from './plan-endings.ts';
import { followRelease } from './release-stops/release-stops.ts';
import { claimPurchases, settlePurchase, writeSubscription } from './settlement.ts';
import { providerSubscriptionOf } from './subscription-rows.ts';
import {
  claimSubscription,
  findNextSubscriptionStep,
  findSubscription,
  listClaimants,
  listDueSubscriptions,
  listSubscriptions,
  type SubscriptionRow,
  storeNextStep,
  wakeOfLeaving,
} from './subscriptions.repository.ts';

export type RenewalsLog = Pick<Logger, 'error'>;

const workLimit = 100;
const leaseMs = 5 * 60_000;
/** Delay before an unreachable provider is called again. */
const retryMs = 3_600_000;
/** Time after which an unpaid checkout is deleted. Its address is that of a visitor who left. */
const abandonedKeptMs = 30 * 86_400_000;
const tidyLimit = 1_000;

/** Advances due subscriptions. Returns their number. */
export async function renewDueSubscriptions(app: App, limit: number = workLimit): Promise<number> {
  const claimants = await listClaimants(app.db, limit);
  for (const userId of claimants) {
    await app.db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, userId);
      if (owner?.emailVerified) await claimPurchases(app, tx, userId, await app.clock.now(tx));
    });
  }
  await wakeOfLeaving(app.db, await app.clock.now());
  const due = await listDueSubscriptions(app.db, await app.clock.now(), limit);
  for (const id of due) await step(app, id);
  return claimants.length + due.length;
}

export function nextRenewalAt(app: App): Promise<Date | null> {
  return findNextSubscriptionStep(app.db);
}

/** Expires unpaid checkouts, and deletes them later. */
export async function removeAbandonedCheckouts(app: App): Promise<void> {
  const at = await app.clock.now();
  await app.db.transaction(async (tx) => {
    await expireOldCheckouts(tx, at);
    await deleteLapsedVoucherReservations(tx, at);
  });
  while ((await deleteAbandonedCheckouts(app.db, new Date(at.getTime() - abandonedKeptMs), tidyLimit)) > 0);
}

async function step(app: App, id: string): Promise<void> {
  const at = await app.clock.now();
  const isMine = await claimSubscription(app.db, { id, at, leaseUntil: new Date(at.getTime() + leaseMs) });
  const row = isMine ? await findSubscription(app.db, id) : null;
  if (!row) return;
  try {
    await askProvider(app, await followRelease(app, row), at);
    await settleNow(app, row);
    await pause(app, id);
  } catch (error) {
    // One that fails must not keep the others waiting, nor letters.
    const isExpected = error instanceof PaymentError;
    const trouble = isExpected ? { code: error.code } : { err: error };
    app.log.error({ provider: row.provider, subscription: id, ...trouble }, 'a subscription could not be looked at');
    if (isExpected) await settleNow(app, row);
    await storeNextStep(app.db, id, new Date(at.getTime() + retryMs));
  }
}

/** Postpones a subscription that is still due after the call, such as one that a provider keeps charging. */
async function pause(app: App, id: string): Promise<void> {
  const row = await findSubscription(app.db, id);
  const at = await app.clock.now();
  if (row?.nextStepAt && row.nextStepAt <= at) await storeNextStep(app.db, id, new Date(at.getTime() + retryMs));
}

async function askProvider(app: App, row: SubscriptionRow, at: Date): Promise<void> {
  const isGivenUp = isSuperseded(row, row.userId ? await listSubscriptions(app.db, row.userId) : []);
  const owner = row.userId ? await findOwner(app.db, row.userId) : null;
  const isLeaving = Boolean(owner?.deletionRequestedAt) && isLive(row) && row.provider !== 'voucher';
  if (isGivenUp || isLeaving) await giveUp(app, row, { at, isLeaving });
  if (row.provider === 'voucher') return;
  const provider = app.payments.find(row.provider);
  const subscription = providerSubscriptionOf(row);
  if (!provider || !subscription) return;

  if (!isLive(row)) return noteProviderAnswer(app, row.provider, row.id, await endedBy(provider, subscription));
  if (!row.cancelAtPeriodEnd && (await findChange(app.db, row.id, 'refused'))) {
    // An owner never pays a price that was not shown, nor one whose voucher another owner used.
    return noteProviderAnswer(app, row.provider, row.id, await provider.cancelAtPeriodEnd(subscription));
  }
  if (row.cancelAtPeriodEnd || isGivenUp || isLeaving || !row.currentPeriodEnd || row.currentPeriodEnd > at) return;
  if (isSandbox(provider)) {
    const told = await provider.periodEnded(subscription);
    if (told) await receiveWebhookNow(app, 'sandbox', told);
  } else {
    await noteProviderAnswer(app, row.provider, row.id, await provider.read(subscription));
  }
}

/** Cancels at the provider: an owner with a newer plan must not pay for both, and an owner who leaves pays no more. */
async function giveUp(
  app: App,
  row: SubscriptionRow,
  { at, isLeaving }: { at: Date; isLeaving: boolean },
): Promise<void> {
  const subscription = providerSubscriptionOf(row);
  const provider = app.payments.find(row.provider);
  if (row.cancelAtPeriodEnd || row.term === 'once') return;
  if (subscription && provider && row.provider !== 'voucher') {
    await noteProviderAnswer(app, row.provider, row.id, await provider.cancelAtPeriodEnd(subscription));
  }
  await app.db.transaction(async (tx) => {
    const owner = row.userId ? await lockOwnerRow(tx, row.userId) : null;
    if (row.provider === 'voucher') await writeSubscription(app, tx, endedRow(row, at), at);
    const entry = {
      action: isLeaving ? 'subscription.leave' : 'subscription.supersede',
      resource: 'subscription',
      resourceId: row.id,
    };
    await recordAudit(app, tx, { userId: row.userId, ...entry, at });
    if (isLeaving) await sendLeft(app, tx, row, owner, at);
    else await sendSuperseded(app, tx, row, owner, at);
  });
}

async function settleNow(app: App, row: SubscriptionRow): Promise<void> {
  await app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    if (row.provider !== 'voucher') return settlePurchase(app, tx, row.id, at);
    if (row.userId) await lockOwnerRow(tx, row.userId);
    const current = await findSubscription(tx, row.id);
    if (!current || !isLive(current)) return;
    const isOver = current.cancelAtPeriodEnd && current.currentPeriodEnd && current.currentPeriodEnd <= at;
    const next = isOver ? endedRow(current, at) : { ...current, nextStepAt: current.currentPeriodEnd };
    await writeSubscription(app, tx, next, at);
    if (isOver) await sendPlanEnding(app, tx, next, at);
  });
}

/** A subscription that the provider no longer knows, or refuses to end, counts as ended. */
export async function endedBy(provider: PaymentProvider, subscription: ProviderSubscription) {
  try {
    return await provider.end(subscription);
  } catch (error) {
    if (!(error instanceof PaymentError && error.failure === 'refused')) throw error;
    const { checkoutId, subscriptionId, customerId } = subscription;
    const standing = { hasEnded: true, cancelAtPeriodEnd: false, periodEndMs: null, priceId: null };
    return [{ kind: 'snapshot' as const, atMs: Date.now(), checkoutId, subscriptionId, customerId, ...standing }];
  }
}

function endedRow(row: SubscriptionRow, at: Date): SubscriptionRow {
  return { ...row, status: 'cancelled', endedAt: at, nextStepAt: null, updatedAt: at };
}
