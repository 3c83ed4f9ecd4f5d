import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { PaymentFact } from '#server/platform/payments/payment-facts.rules.ts';
import {
  type HeldSubscription,
  PaymentError,
  type PaymentProvider,
  type Payments,
} from '#server/platform/payments/payments.ts';
import type { BillingLetters } from '../billing.letters.service.ts';
import { isLive, isSuperseded } from '../billing.rules.ts';
import { findChange } from '../checkouts.repository.ts';
import type { PaymentEvents } from '../payment-events.service.ts';
import { heldOf } from '../subscription-rows.ts';
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

type Dependencies = {
  db: Database;
  clock: Pick<Clock, 'now'>;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf'>;
  audit: Pick<Audit, 'record'>;
  payments: Payments;
  events: Pick<PaymentEvents, 'noteAnswer'>;
  letters: Pick<BillingLetters, 'released' | 'goesOn'>;
};

/**
 * Calls the provider about a pending stop, then records it and emails the owner in one transaction. After a crash between the two, the stop
 * is still pending, and the next step reads the change at the provider.
 *
 * @throws PaymentError if the provider could not be called; the stop stays pending.
 */
export async function followRelease(deps: Dependencies, row: SubscriptionRow): Promise<SubscriptionRow> {
  const { db } = deps;
  if (row.releaseStop === null || row.releaseStop === 'stopped') return row;
  const isWanted = row.releaseStop === 'asked';
  await tellProvider(deps, row, isWanted);
  await db.transaction((tx) => (isWanted ? noteStopped(deps, tx, row) : noteUndone(deps, tx, row)));
  return (await findSubscription(db, row.id)) ?? row;
}

async function tellProvider(deps: Dependencies, row: SubscriptionRow, isWanted: boolean): Promise<void> {
  const { db, payments, events } = deps;
  const provider = payments.find(row.provider);
  const held = heldOf(row);
  if (!provider || !held || row.provider === 'voucher' || !isLive(row)) return;
  const note = (facts: readonly PaymentFact[]) => events.noteAnswer(provider.name, row.id, facts);
  // A call whose answer was lost has changed it already.
  await note(await provider.read(held));
  const known = await findSubscription(db, row.id);
  if (!known || !isLive(known) || known.cancelAtPeriodEnd === isWanted) return;
  if (isWanted) return note(await provider.cancelAtPeriodEnd(held));
  if (await mayGoOn(deps, known)) await note(await resumed(provider, held));
}

/** Nothing begins again that its owner has given up in another way. */
async function mayGoOn({ db, accounts }: Dependencies, row: SubscriptionRow): Promise<boolean> {
  if (!row.userId || isSuperseded(row, await listSubscriptions(db, row.userId))) return false;
  if (await findChange(db, row.id, 'refused')) return false;
  return !(await accounts.ownerOf(db, row.userId))?.deletionRequestedAt;
}

/** A provider that refuses keeps it cancelled, which the owner sees and can change. */
async function resumed(provider: PaymentProvider, held: HeldSubscription): Promise<PaymentFact[]> {
  try {
    return await provider.resume(held);
  } catch (error) {
    if (error instanceof PaymentError && error.failure === 'refused') return [];
    throw error;
  }
}

async function noteStopped(deps: Dependencies, tx: Executor, { id, userId }: SubscriptionRow): Promise<void> {
  const { clock, accounts, audit, letters } = deps;
  const owner = userId ? await accounts.lockOwner(tx, userId) : null;
  const row = await findSubscription(tx, id);
  if (row?.releaseStop !== 'asked') return;
  const isStopped = isLive(row) && row.cancelAtPeriodEnd;
  // One that has ended meanwhile has nothing left to stop.
  if (isLive(row) && !isStopped) return;
  await storeStop(tx, row, isStopped ? 'stopped' : null);
  if (!isStopped) return;
  const at = await clock.now(tx);
  await audit.record(tx, { userId, action: 'subscription.release', resource: 'subscription', resourceId: id, at });
  await letters.released(tx, row, owner, at);
}

async function noteUndone(deps: Dependencies, tx: Executor, { id, userId }: SubscriptionRow): Promise<void> {
  const { clock, accounts, audit, letters } = deps;
  const owner = userId ? await accounts.lockOwner(tx, userId) : null;
  const row = await findSubscription(tx, id);
  if (row?.releaseStop !== 'withdrawn' && row?.releaseStop !== 'undoing') return;
  await storeStop(tx, row, null);
  // Without an email about the stop there is nothing to correct.
  if (row.releaseStop === 'withdrawn' || !isLive(row) || row.cancelAtPeriodEnd) return;
  const at = await clock.now(tx);
  await audit.record(tx, { userId, action: 'subscription.return', resource: 'subscription', resourceId: id, at });
  await letters.goesOn(tx, row, owner, at);
}
