import type { Logger } from 'pino';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Vouchers } from '#server/features/vouchers/vouchers.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import {
  type HeldSubscription,
  PaymentError,
  type PaymentProvider,
  type Payments,
} from '#server/platform/payments/payments.ts';
import { isSandbox } from '#server/platform/payments/sandbox-provider.ts';
import type { BillingLetters } from './billing.letters.service.ts';
import { isLive, isSuperseded } from './billing.rules.ts';
import { deleteAbandonedCheckouts, expireOldCheckouts, findChange } from './checkouts.repository.ts';
import type { PaymentEvents } from './payment-events.service.ts';
import { createPlanEndings } from './plan-endings.service.ts';
import { followRelease } from './release-stops/release-stops.service.ts';
import type { Settlement } from './settlement.service.ts';
import { heldOf } from './subscription-rows.ts';
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

/** What time alone brings: the end of a period, the days of grace, a lapse, a provider that has fallen silent. */
export type Renewals = {
  /** Moves on whatever is due. Gives how many were looked at. */
  workDue(limit?: number): Promise<number>;
  nextDueAt(): Promise<Date | null>;
  /** Ends checkouts that nobody paid, and forgets them after a while. */
  tidy(): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf'>;
  audit: Audit;
  payments: Payments;
  events: PaymentEvents;
  settlement: Settlement;
  vouchers: Vouchers;
  letters: BillingLetters;
  log: RenewalsLog;
};

const workLimit = 100;
const leaseMs = 5 * 60_000;
/** A provider that could not be asked is asked again after so long. */
const retryMs = 3_600_000;
/** A checkout that nobody paid is forgotten after so long: the address in it is that of a visitor who left. */
const abandonedKeptMs = 30 * 86_400_000;
const tidyLimit = 1_000;

export function createRenewals(deps: Dependencies): Renewals {
  const { db, clock, accounts, audit, payments, events, settlement, vouchers, letters, log } = deps;
  const endings = createPlanEndings({ accounts, letters });

  async function step(id: string): Promise<void> {
    const at = await clock.now();
    const isMine = await claimSubscription(db, { id, at, leaseUntil: new Date(at.getTime() + leaseMs) });
    const row = isMine ? await findSubscription(db, id) : null;
    if (!row) return;
    try {
      await askProvider(await followRelease(deps, row), at);
      await settleNow(row);
      await pause(id);
    } catch (error) {
      // One that fails must not keep the others waiting, nor letters.
      const isExpected = error instanceof PaymentError;
      const trouble = isExpected ? { code: error.code } : { err: error };
      log.error({ provider: row.provider, subscription: id, ...trouble }, 'a subscription could not be looked at');
      if (isExpected) await settleNow(row);
      await storeNextStep(db, id, new Date(at.getTime() + retryMs));
    }
  }

  /** What is due all the same was asked for and not done, such as the end of one that a provider goes on with. */
  async function pause(id: string): Promise<void> {
    const row = await findSubscription(db, id);
    const at = await clock.now();
    if (row?.nextStepAt && row.nextStepAt <= at) await storeNextStep(db, id, new Date(at.getTime() + retryMs));
  }

  async function askProvider(row: SubscriptionRow, at: Date): Promise<void> {
    const isGivenUp = isSuperseded(row, row.userId ? await listSubscriptions(db, row.userId) : []);
    const owner = row.userId ? await accounts.ownerOf(db, row.userId) : null;
    const isLeaving = Boolean(owner?.deletionRequestedAt) && isLive(row) && row.provider !== 'voucher';
    if (isGivenUp || isLeaving) await giveUp(row, { at, isLeaving });
    if (row.provider === 'voucher') return;
    const provider = payments.find(row.provider);
    const held = heldOf(row);
    if (!provider || !held) return;

    if (!isLive(row)) return events.noteAnswer(row.provider, row.id, await endedBy(provider, held));
    if (!row.cancelAtPeriodEnd && (await findChange(db, row.id, 'refused'))) {
      // Nobody is charged a price that they were not shown, nor one whose voucher went to somebody else.
      return events.noteAnswer(row.provider, row.id, await provider.cancelAtPeriodEnd(held));
    }
    if (row.cancelAtPeriodEnd || isGivenUp || isLeaving || !row.currentPeriodEnd || row.currentPeriodEnd > at) return;
    if (isSandbox(provider)) {
      const told = await provider.periodEnded(held);
      if (told) await events.receiveNow('sandbox', told);
    } else {
      await events.noteAnswer(row.provider, row.id, await provider.read(held));
    }
  }

  /** Somebody who has bought another plan does not pay for both, and whoever deletes their account pays no more. */
  async function giveUp(row: SubscriptionRow, { at, isLeaving }: { at: Date; isLeaving: boolean }): Promise<void> {
    const held = heldOf(row);
    const provider = payments.find(row.provider);
    if (row.cancelAtPeriodEnd || row.term === 'once') return;
    if (held && provider && row.provider !== 'voucher') {
      await events.noteAnswer(row.provider, row.id, await provider.cancelAtPeriodEnd(held));
    }
    await db.transaction(async (tx) => {
      const owner = row.userId ? await accounts.lockOwner(tx, row.userId) : null;
      if (row.provider === 'voucher') await settlement.write(tx, endedRow(row, at), at);
      const entry = {
        action: isLeaving ? 'subscription.leave' : 'subscription.supersede',
        resource: 'subscription',
        resourceId: row.id,
      };
      await audit.record(tx, { userId: row.userId, ...entry, at });
      if (isLeaving) await letters.left(tx, row, owner, at);
      else await letters.superseded(tx, row, owner, at);
    });
  }

  async function settleNow(row: SubscriptionRow): Promise<void> {
    await db.transaction(async (tx) => {
      const at = await clock.now(tx);
      if (row.provider !== 'voucher') return settlement.settle(tx, row.id, at);
      if (row.userId) await accounts.lockOwner(tx, row.userId);
      const current = await findSubscription(tx, row.id);
      if (!current || !isLive(current)) return;
      const isOver = current.cancelAtPeriodEnd && current.currentPeriodEnd && current.currentPeriodEnd <= at;
      const next = isOver ? endedRow(current, at) : { ...current, nextStepAt: current.currentPeriodEnd };
      await settlement.write(tx, next, at);
      if (isOver) await endings.tell(tx, next, at);
    });
  }

  return {
    async workDue(limit = workLimit) {
      const claimants = await listClaimants(db, limit);
      for (const userId of claimants) {
        await db.transaction(async (tx) => {
          const owner = await accounts.lockOwner(tx, userId);
          if (owner?.emailVerified) await settlement.claimFor(tx, userId, await clock.now(tx));
        });
      }
      await wakeOfLeaving(db, await clock.now());
      const due = await listDueSubscriptions(db, await clock.now(), limit);
      for (const id of due) await step(id);
      return claimants.length + due.length;
    },

    nextDueAt: () => findNextSubscriptionStep(db),

    async tidy() {
      const at = await clock.now();
      await db.transaction(async (tx) => {
        await expireOldCheckouts(tx, at);
        await vouchers.tidy(tx, at);
      });
      while ((await deleteAbandonedCheckouts(db, new Date(at.getTime() - abandonedKeptMs), tidyLimit)) > 0);
    },
  };
}

/** One that the provider does not know any more, or will not end, is over. */
export async function endedBy(provider: PaymentProvider, held: HeldSubscription) {
  try {
    return await provider.end(held);
  } catch (error) {
    if (!(error instanceof PaymentError && error.failure === 'refused')) throw error;
    const { checkoutId, subscriptionId, customerId } = held;
    const standing = { hasEnded: true, cancelAtPeriodEnd: false, periodEndMs: null, priceId: null };
    return [{ kind: 'snapshot' as const, atMs: Date.now(), checkoutId, subscriptionId, customerId, ...standing }];
  }
}

function endedRow(row: SubscriptionRow, at: Date): SubscriptionRow {
  return { ...row, status: 'cancelled', endedAt: at, nextStepAt: null, updatedAt: at };
}
