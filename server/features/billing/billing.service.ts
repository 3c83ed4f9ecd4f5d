import type { Logger } from 'pino';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { HandOvers } from '#server/features/registration/hand-over.service.ts';
import { createVouchers, type Vouchers } from '#server/features/vouchers/vouchers.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { Payments, ProviderName } from '#server/platform/payments/payments.ts';
import type { Queue } from '#server/platform/queue/queue.ts';
import { createBillingLetters } from './billing.letters.service.ts';
import { type Checkouts, createCheckouts } from './checkout.service.ts';
import { hasTypedVoucher } from './checkouts.repository.ts';
import { moveToAccount } from './hand-over.repository.ts';
import { createPaymentEvents, type PaymentEvents } from './payment-events.service.ts';
import { createRenewals } from './renewals.service.ts';
import { createSandboxCheckouts, type SandboxCheckouts } from './sandbox-checkout.service.ts';
import { createSettlement } from './settlement.service.ts';
import { createSubscriptionOffboarding, type SubscriptionOffboarding } from './subscription-offboarding.service.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.service.ts';
import { claimWaitingVouchers } from './waiting-vouchers.service.ts';

export type BillingDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf' | 'ownerByEmail' | 'storePlan' | 'onVerified' | 'onActivity'>;
  handOvers: Pick<HandOvers, 'onHandOver'>;
  audit: Audit;
  notifications: Pick<Notifications, 'enqueue'>;
  payments: Payments;
  serviceKeys: ServiceKeys;
  queue: Queue;
  baseUrl: string;
  log: Pick<Logger, 'warn' | 'error'>;
};

export type Billing = {
  /** Who takes money here, the usual one first. */
  providers: readonly ProviderName[];
  checkouts: Checkouts;
  subscriptions: Subscriptions;
  offboarding: SubscriptionOffboarding;
  sandbox: SandboxCheckouts;
  vouchers: Vouchers;
  receive: PaymentEvents['receive'];
  /** Everything that was told, and everything whose time has come. Gives how much was looked at. */
  workDue(): Promise<number>;
  nextDueAt(): Promise<Date | null>;
  /** Removes what is of no more use. */
  keepHouse(): Promise<void>;
};

/** Plans, payments and vouchers. What was bought for an address is given to its account once that is verified. */
export function createBilling(deps: BillingDependencies): Billing {
  const { accounts, payments, serviceKeys } = deps;
  const letters = createBillingLetters(deps);
  const vouchers = createVouchers(deps);
  const settlement = createSettlement({ ...deps, vouchers, letters });
  const { hashToken } = serviceKeys;
  const shared = { ...deps, hashToken, letters, vouchers, settlement };
  const events = createPaymentEvents(shared);
  const renewals = createRenewals({ ...shared, events });
  accounts.onVerified(async (tx, userId, at) => {
    await settlement.claimFor(tx, userId, at);
    const owner = await accounts.ownerOf(tx, userId);
    if (owner) await claimWaitingVouchers({ vouchers, settlement, letters }, tx, { owner, at });
  });
  accounts.onActivity(async (tx, { userId, at, type }) => {
    if (type !== 'login' || !(await hasTypedVoucher(tx, userId, at))) return;
    const owner = await accounts.ownerOf(tx, userId);
    if (owner) await claimWaitingVouchers({ vouchers, settlement, letters }, tx, { owner, at });
  });
  deps.handOvers.onHandOver(moveToAccount);

  return {
    providers: payments.names,
    checkouts: createCheckouts({ ...shared, events }),
    subscriptions: createSubscriptions({ ...shared, events }),
    offboarding: createSubscriptionOffboarding({ ...deps, events }),
    sandbox: createSandboxCheckouts({ ...shared, events }),
    vouchers,
    receive: events.receive,
    workDue: async () => (await events.workDue()) + (await renewals.workDue()),
    async nextDueAt() {
      const due = [await events.nextDueAt(), await renewals.nextDueAt()].filter((at) => at !== null);
      return due.length > 0 ? new Date(Math.min(...due.map((at) => at.getTime()))) : null;
    },
    async keepHouse() {
      await renewals.tidy();
      while ((await events.purge()) > 0);
    },
  };
}
