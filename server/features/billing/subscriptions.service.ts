import { randomUUID } from 'node:crypto';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import type { HeldSubscription, PaymentProvider, Payments } from '#server/platform/payments/payments.ts';
import { periodEndAfter } from '#server/platform/payments/periods.ts';
import { isSandbox } from '#server/platform/payments/sandbox-provider.ts';
import type { getBilling } from '#shared/contract/billing.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { type PlanName, plans } from '#shared/rules/plans.ts';
import { type BillingLetters, receiptOf } from './billing.letters.service.ts';
import { governing, statusOf } from './billing.rules.ts';
import { checkoutMs } from './checkout.service.ts';
import { findChange, hasOpenCheckout, insertCheckout } from './checkouts.repository.ts';
import type { PaymentEvents } from './payment-events.service.ts';
import { asking } from './payment-trouble.ts';
import { receiptFile } from './receipts/receipt.ts';
import { forgetStop } from './release-stops/release-stops.repository.ts';
import type { Settlement } from './settlement.service.ts';
import { changeOf, paymentAnswer, standingOf } from './subscription-answers.ts';
import { heldOf } from './subscription-rows.ts';
import { findPayment, listPayments, listSubscriptions, type SubscriptionRow } from './subscriptions.repository.ts';

type Actor = { principal: Principal; origin: RequestOrigin };

/** What an owner sees of their plan, and does with it once it is bought. */
export type Subscriptions = {
  read(principal: Principal): Promise<RouteAnswer<typeof getBilling>>;
  /** Whether the plan of an owner comes from a subscription that is live. The owner's row is locked. */
  isSubscribed(tx: Executor, userId: string): Promise<boolean>;
  /**
   * What became of a plan while its account was being deleted since then, in a sentence for its owner; null where there
   * is nothing to say. Nobody is charged again without having asked for it, so a restored plan stays cancelled.
   */
  noticeOnRestore(tx: Executor, userId: string, since: Date): Promise<string | null>;
  /** A receipt as a file. `signal` aborts when its reader leaves. @throws AppError `NOT_FOUND`. */
  receipt(principal: Principal, paymentId: string, signal?: AbortSignal): Promise<OutgoingFile>;
  /** Each gives a sentence. @throws AppError `CONFLICT` where there is nothing to do it to. */
  cancel(actor: Actor): Promise<string>;
  resume(actor: Actor): Promise<string>;
  /** Where another card is given. */
  changeCard(actor: Actor): Promise<string>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf'>;
  audit: Audit;
  payments: Payments;
  events: PaymentEvents;
  settlement: Settlement;
  letters: BillingLetters;
  baseUrl: string;
};

export function createSubscriptions(deps: Dependencies): Subscriptions {
  const { db, clock, accounts, audit, payments, events, settlement, letters, baseUrl } = deps;

  async function current({ userId }: Principal): Promise<SubscriptionRow> {
    const row = governing(await listSubscriptions(db, userId));
    if (!row) throw new AppError('CONFLICT', 'You have no plan that is paid for.');
    return row;
  }

  function atProvider(row: SubscriptionRow): { provider: PaymentProvider; held: HeldSubscription } | null {
    const provider = payments.find(row.provider);
    const held = heldOf(row);
    return provider && held ? { provider, held } : null;
  }

  /** Keeps what the provider answered, or writes what only we know of: a plan that a voucher made free. */
  async function setCancelled(row: SubscriptionRow, isCancelled: boolean): Promise<void> {
    const known = atProvider(row);
    if (known && row.provider !== 'voucher') {
      const { provider, held } = known;
      const facts = await asking(() => (isCancelled ? provider.cancelAtPeriodEnd(held) : provider.resume(held)));
      return events.noteAnswer(row.provider, row.id, facts);
    }
    if (row.provider !== 'voucher' || row.term === 'once') throw notCancellable();
    const { term } = row;
    await db.transaction(async (tx) => {
      const at = await clock.now(tx);
      if (row.userId) await accounts.lockOwner(tx, row.userId);
      const endsAt = isCancelled ? periodEndAfter(row.createdAt, term, at) : null;
      const change = { cancelAtPeriodEnd: isCancelled, currentPeriodEnd: endsAt, nextStepAt: endsAt };
      await settlement.write(tx, { ...row, ...change, updatedAt: at }, at);
    });
  }

  async function record(
    tx: Executor,
    { principal, origin }: Actor,
    action: string,
    row: SubscriptionRow,
  ): Promise<Date> {
    const at = await clock.now(tx);
    const entry = { userId: principal.userId, action, resource: 'subscription', resourceId: row.id };
    await audit.record(tx, { ...entry, origin, at });
    return at;
  }

  return {
    isSubscribed: async (tx, userId) => governing(await listSubscriptions(tx, userId)) !== null,

    async noticeOnRestore(tx, userId, since) {
      const all = await listSubscriptions(tx, userId);
      const row = governing(all);
      if (row) return row.cancelAtPeriodEnd && row.currentPeriodEnd ? keepWords(row.plan, row.currentPeriodEnd) : null;
      const ended = all.find(({ endedAt }) => endedAt !== null && endedAt >= since);
      return ended?.endedAt ? endedWords(ended.plan, ended.endedAt) : null;
    },

    async read(principal) {
      const owner = await accounts.ownerOf(db, principal.userId);
      if (!owner) throw notFound();
      const now = await clock.now();
      const all = await listSubscriptions(db, owner.id);
      const shown = governing(all);
      const isAwaitingPayment = await hasOpenCheckout(db, owner.id, now);
      const paid = (await listPayments(db, owner.id)).map(paymentAnswer);
      const agreed = shown && (await findChange(db, shown.id, 'agreed'));
      const refused = shown && (await findChange(db, shown.id, 'refused'));
      const standing = standingOf(shown, atProvider);
      return {
        ...standing,
        plan: owner.plan,
        status: statusOf(all),
        nextChange: standing.nextPaymentAt && agreed ? changeOf(agreed) : null,
        refusedChange: refused ? changeOf(refused) : null,
        can: { ...standing.can, resume: standing.can.resume && !refused },
        isAwaitingPayment,
        providers: [...payments.names],
        payments: paid,
      };
    },

    async receipt(principal, paymentId, signal) {
      const payment = await findPayment(db, principal.userId, paymentId);
      const owner = payment && (await accounts.ownerOf(db, principal.userId));
      if (!payment || !owner) throw notFound();
      const { firstName, lastName, email } = owner;
      const name = [firstName, lastName].filter(Boolean).join(' ');
      return receiptFile({ receipt: receiptOf(payment), paidBy: { name, email } }, signal);
    },

    async cancel(actor) {
      const row = await current(actor.principal);
      if (row.term === 'once') throw notCancellable();
      if (row.cancelAtPeriodEnd) throw new AppError('CONFLICT', 'This plan is cancelled already.');
      await setCancelled(row, true);
      const ending = (await listSubscriptions(db, actor.principal.userId)).find(({ id }) => id === row.id) ?? row;
      await db.transaction(async (tx) => {
        const owner = await accounts.lockOwner(tx, actor.principal.userId);
        await forgetStop(tx, row.id);
        const at = await record(tx, actor, 'subscription.cancel', row);
        await letters.cancelled(tx, ending, owner, at);
      });
      return ending.currentPeriodEnd
        ? `Your plan is cancelled. You have it until ${longDate.format(ending.currentPeriodEnd)}.`
        : 'Your plan is cancelled.';
    },

    async resume(actor) {
      const row = await current(actor.principal);
      if (!row.cancelAtPeriodEnd) throw new AppError('CONFLICT', 'This plan is not cancelled.');
      if (await findChange(db, row.id, 'refused')) throw voucherGone();
      await setCancelled(row, false);
      await db.transaction(async (tx) => {
        await accounts.lockOwner(tx, actor.principal.userId);
        await forgetStop(tx, row.id);
        await record(tx, actor, 'subscription.resume', row);
      });
      return 'Your plan goes on.';
    },

    async changeCard(actor) {
      const row = await current(actor.principal);
      const known = atProvider(row);
      if (!known) throw noCard();
      const url = isSandbox(known.provider)
        ? await openSandboxCard(deps, row)
        : await asking(() => known.provider.openCardChange(known.held, `${baseUrl}/account`));
      if (!url) throw noCard();
      await db.transaction(async (tx) => {
        await accounts.lockOwner(tx, actor.principal.userId);
        await record(tx, actor, 'subscription.change-card', row);
      });
      return url;
    },
  };
}

/** The page of the practice checkout that asks for another card; null where there is none. */
async function openSandboxCard(
  { db, clock, payments, hashToken, baseUrl }: Dependencies,
  row: SubscriptionRow,
): Promise<string | null> {
  const sandbox = payments.find('sandbox');
  if (!sandbox || !isSandbox(sandbox)) return null;
  const at = await clock.now();
  const id = randomUUID();
  const token = sandbox.tokenFor(id);
  await insertCheckout(db, {
    id,
    purpose: 'card',
    userId: row.userId,
    email: row.email,
    provider: 'sandbox',
    subscriptionId: row.id,
    plan: row.plan,
    term: row.term,
    listPricePence: row.pricePence,
    amountPence: row.pricePence,
    tokenHash: hashToken(token),
    createdAt: at,
    expiresAt: new Date(at.getTime() + checkoutMs),
  });
  return `${baseUrl}/checkout/${token}`;
}

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });

function keepWords(plan: PlanName, endsAt: Date): string {
  const until = `You have it until ${longDate.format(endsAt)}.`;
  return `Your ${plans[plan].title} plan is cancelled, and nothing more is charged. ${until} To keep it, open Account & Billing and choose Keep my plan.`;
}

function endedWords(plan: PlanName, endedAt: Date): string {
  const ended = `Your ${plans[plan].title} plan ended on ${longDate.format(endedAt)}, and nothing has been charged since.`;
  return `${ended} What you stored is still there. To have the plan again, choose it under Account & Billing.`;
}

function notCancellable(): AppError {
  return new AppError('CONFLICT', 'This plan was bought for good, so there is nothing to cancel.');
}

function voucherGone(): AppError {
  const why = 'The voucher of the price that you agreed to has no use left, so this plan cannot go on.';
  return new AppError('CONFLICT', `${why} Choose a plan again on the subscription page.`);
}

function noCard(): AppError {
  return new AppError('CONFLICT', 'You have no card that can be changed.');
}
