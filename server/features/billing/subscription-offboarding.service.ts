import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { Payments } from '#server/platform/payments/payments.ts';
import { isCharged, isLive } from './billing.rules.ts';
import { hasRunningCheckout } from './checkouts.repository.ts';
import type { PaymentEvents } from './payment-events.service.ts';
import { endedBy } from './renewals.service.ts';
import { heldOf } from './subscription-rows.ts';
import { listSubscriptions, listUnclaimed, type SubscriptionRow } from './subscriptions.repository.ts';

type Leaver = Pick<OwnerRow, 'id' | 'email'>;

/**
 * What has to be over before an account goes for good. Our rows alone know what a provider calls a subscription: once they
 * are gone, nobody here could end it any more.
 */
export type SubscriptionOffboarding = {
  /** Those of an account, and of its address, that a provider goes on charging for. The owner's row is locked. */
  charged(tx: Executor, leaver: Leaver): Promise<string[]>;
  /** Whether something that was bought for an account, or for its address, runs still, or is charged for. */
  isPaidFor(executor: Executor, leaver: Leaver): Promise<boolean>;
  /** Whether a payment for it, or for its address, may come in at any moment: only the checkout says then whose it is. */
  isBeingPaid(executor: Executor, leaver: Leaver, at: Date): Promise<boolean>;
  /** Has providers end them, at once. @throws PaymentError where one could not be asked. */
  endCharged(leaver: Leaver): Promise<void>;
};

export function createSubscriptionOffboarding({ db, payments, events }: Dependencies): SubscriptionOffboarding {
  async function listTheirs(executor: Executor, { id, email }: Leaver): Promise<SubscriptionRow[]> {
    return [...(await listSubscriptions(executor, id)), ...(await listUnclaimed(executor, email))];
  }

  const listCharged = async (executor: Executor, leaver: Leaver) =>
    (await listTheirs(executor, leaver)).filter(isCharged);

  return {
    charged: async (tx, leaver) => (await listCharged(tx, leaver)).map(({ id }) => id),

    isPaidFor: async (tx, leaver) => (await listTheirs(tx, leaver)).some((row) => isLive(row) || isCharged(row)),

    isBeingPaid: hasRunningCheckout,

    async endCharged(leaver) {
      for (const row of await listCharged(db, leaver)) {
        const provider = payments.find(row.provider);
        const held = heldOf(row);
        if (!provider || !held || row.provider === 'voucher') continue;
        await events.noteAnswer(row.provider, row.id, await endedBy(provider, held));
      }
    },
  };
}

type Dependencies = { db: Database; payments: Payments; events: Pick<PaymentEvents, 'noteAnswer'> };
