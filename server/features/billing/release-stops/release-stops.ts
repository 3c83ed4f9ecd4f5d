import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { sendReleased, sendRenewsAgain } from '#server/features/billing/billing-letters.ts';
import { noteProviderAnswer } from '#server/features/billing/payment-events.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { PaymentFact } from '#server/platform/payments/payment-facts.rules.ts';
import { PaymentError, type PaymentProvider, type ProviderSubscription } from '#server/platform/payments/payments.ts';
import { isLive, isSuperseded } from '../billing.rules.ts';
import { findChange } from '../checkouts.repository.ts';
import { providerSubscriptionOf } from '../subscription-rows.ts';
import { findSubscription, listSubscriptions, type SubscriptionRow } from '../subscriptions.repository.ts';
import { askStops, hasRenewing, storeStop, withdrawStops } from './release-stops.repository.ts';

/** Release calls these in its own transaction, with the owner's row locked. */
export type ReleaseStops = {
  /** A release is done: what its owner pays for is not to renew. False if nothing of theirs renews. */
  stop(tx: Executor, userId: string, at: Date): Promise<boolean>;
  /** The owner is back: what a release stopped is to renew again. */
  undo(tx: Executor, userId: string, at: Date): Promise<void>;
  /** True if `stop` would stop something now. */
  wouldStop(executor: Executor, userId: string): Promise<boolean>;
};

export const releaseStops: ReleaseStops = { stop: askStops, undo: withdrawStops, wouldStop: hasRenewing };

/**
 * Calls the provider about a pending stop, then records it and emails the owner in one transaction. After a crash between the two, the stop
 * is still pending, and the next step reads the change at the provider.
 *
 * @throws PaymentError if the provider could not be called; the stop stays pending.
 */
export async function followRelease(app: App, row: SubscriptionRow): Promise<SubscriptionRow> {
  if (row.releaseStop === null || row.releaseStop === 'stopped') return row;
  const isWanted = row.releaseStop === 'asked';
  await tellProvider(app, row, isWanted);
  await app.db.transaction((tx) => (isWanted ? noteStopped(app, tx, row) : noteUndone(app, tx, row)));
  return (await findSubscription(app.db, row.id)) ?? row;
}

async function tellProvider(app: App, row: SubscriptionRow, isWanted: boolean): Promise<void> {
  const provider = app.payments.find(row.provider);
  const subscription = providerSubscriptionOf(row);
  if (!provider || !subscription || row.provider === 'voucher' || !isLive(row)) return;
  const note = (facts: readonly PaymentFact[]) => noteProviderAnswer(app, provider.name, row.id, facts);
  // A call whose answer was lost has changed it already.
  await note(await provider.read(subscription));
  const known = await findSubscription(app.db, row.id);
  if (!known || !isLive(known) || known.cancelAtPeriodEnd === isWanted) return;
  if (isWanted) return note(await provider.cancelAtPeriodEnd(subscription));
  if (await mayGoOn(app, known)) await note(await resumed(provider, subscription));
}

/** Nothing begins again that its owner has given up in another way. */
async function mayGoOn(app: App, row: SubscriptionRow): Promise<boolean> {
  if (!row.userId || isSuperseded(row, await listSubscriptions(app.db, row.userId))) return false;
  if (await findChange(app.db, row.id, 'refused')) return false;
  return !(await findOwner(app.db, row.userId))?.deletionRequestedAt;
}

/** A provider that refuses keeps it cancelled, which the owner sees and can change. */
async function resumed(provider: PaymentProvider, subscription: ProviderSubscription): Promise<PaymentFact[]> {
  try {
    return await provider.resume(subscription);
  } catch (error) {
    if (error instanceof PaymentError && error.failure === 'refused') return [];
    throw error;
  }
}

async function noteStopped(app: App, tx: Executor, { id, userId }: SubscriptionRow): Promise<void> {
  const owner = userId ? await lockOwnerRow(tx, userId) : null;
  const row = await findSubscription(tx, id);
  if (row?.releaseStop !== 'asked') return;
  const isStopped = isLive(row) && row.cancelAtPeriodEnd;
  // One that has ended meanwhile has nothing left to stop.
  if (isLive(row) && !isStopped) return;
  await storeStop(tx, row, isStopped ? 'stopped' : null);
  if (!isStopped) return;
  const at = await app.clock.now(tx);
  await recordAudit(app, tx, { userId, action: 'subscription.release', resource: 'subscription', resourceId: id, at });
  await sendReleased(app, tx, row, owner, at);
}

async function noteUndone(app: App, tx: Executor, { id, userId }: SubscriptionRow): Promise<void> {
  const owner = userId ? await lockOwnerRow(tx, userId) : null;
  const row = await findSubscription(tx, id);
  if (row?.releaseStop !== 'withdrawn' && row?.releaseStop !== 'undoing') return;
  await storeStop(tx, row, null);
  // Without an email about the stop there is nothing to correct.
  if (row.releaseStop === 'withdrawn' || !isLive(row) || row.cancelAtPeriodEnd) return;
  const at = await app.clock.now(tx);
  await recordAudit(app, tx, { userId, action: 'subscription.return', resource: 'subscription', resourceId: id, at });
  await sendRenewsAgain(app, tx, row, owner, at);
}
