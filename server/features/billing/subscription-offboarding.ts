import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { isCharged, isLive } from './billing.rules.ts';
import { hasRunningCheckout } from './checkouts.repository.ts';
import { noteProviderAnswer } from './payment-events.ts';
import { endedBy } from './renewals.ts';
import { providerSubscriptionOf } from './subscription-rows.ts';
import { listSubscriptions, listUnclaimed, type SubscriptionRow } from './subscriptions.repository.ts';

type Leaver = Pick<OwnerRow, 'id' | 'email'>;

/** Subscriptions of an account and of its address that a provider still charges. The owner's row is locked. */
export async function chargedSubscriptions(tx: Executor, leaver: Leaver): Promise<string[]> {
  return (await listCharged(tx, leaver)).map(({ id }) => id);
}

/** True if a purchase for an account, or for its address, is live or still charged. */
export async function isPaidFor(tx: Executor, leaver: Leaver): Promise<boolean> {
  return (await listTheirs(tx, leaver)).some((row) => isLive(row) || isCharged(row));
}

/** Ends them at their providers immediately. @throws PaymentError if a provider could not be reached. */
export async function endChargedSubscriptions(app: App, leaver: Leaver): Promise<void> {
  for (const row of await listCharged(app.db, leaver)) {
    const provider = app.payments.find(row.provider);
    const subscription = providerSubscriptionOf(row);
    if (!provider || !subscription || row.provider === 'voucher') continue;
    await noteProviderAnswer(app, row.provider, row.id, await endedBy(provider, subscription));
  }
}

async function listTheirs(executor: Executor, { id, email }: Leaver): Promise<SubscriptionRow[]> {
  return [...(await listSubscriptions(executor, id)), ...(await listUnclaimed(executor, email))];
}

async function listCharged(executor: Executor, leaver: Leaver) {
  return (await listTheirs(executor, leaver)).filter(isCharged);
}

/** True if a payment for this account or its address may arrive at any moment. Its owner is unknown until then. */
export function isBeingPaid(executor: Executor, leaver: Leaver, at: Date): Promise<boolean> {
  return hasRunningCheckout(executor, leaver, at);
}
