import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Vouchers } from '#server/features/vouchers/vouchers.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { PaymentFact } from '#server/platform/payments/payment-facts.rules.ts';
import type { BillingLetters } from './billing.letters.service.ts';
import { governing, isLive, rankOf } from './billing.rules.ts';
import { type CheckoutRow, findCheckout, listAsked, lockCheckout, storeCheckoutPaid } from './checkouts.repository.ts';
import { graceMailDue, type Life, lifeOf } from './lifecycle.rules.ts';
import { type EventRow, listEventsAbout, storeApplied, storeEvent } from './payment-events.repository.ts';
import { createPlanEndings } from './plan-endings.service.ts';
import { createPriceReservations } from './price-reservations.service.ts';
import { askedOf, freeRow, heardOf, paymentRow, rowOf } from './subscription-rows.ts';
import {
  findSubscription,
  giveSubscription,
  listPaymentsOf,
  listSubscriptions,
  listUnclaimed,
  type SubscriptionRow,
  savePayment,
  saveSubscription,
  wakeOthers,
} from './subscriptions.repository.ts';

export type Settlement = {
  /**
   * Works a purchase out anew from everything that was told about it, and does what follows: the plan, payments,
   * receipts, mails, the audit log. The same facts lead to the same end in any order, and a second time to nothing.
   */
  settle(tx: Executor, checkoutId: string, at: Date): Promise<void>;
  /** Gives an owner what was bought for their verified address. The owner's row is locked. */
  claimFor(tx: Executor, userId: string, at: Date): Promise<void>;
  /** Begins a plan that a voucher makes free, without a provider. The row of its verified owner is locked. */
  activate(tx: Executor, checkout: CheckoutRow, at: Date): Promise<void>;
  /** Writes what is known of a subscription without facts, and what follows for the plan. The owner's row is locked. */
  write(tx: Executor, row: SubscriptionRow, at: Date): Promise<void>;
};

export type SettlementDependencies = {
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf' | 'ownerByEmail' | 'storePlan'>;
  audit: Audit;
  vouchers: Vouchers;
  letters: BillingLetters;
};

/** How far the ties between events are followed; each step is one more name for the same purchase. */
const tiesMax = 6;

export function createSettlement({ accounts, audit, vouchers, letters }: SettlementDependencies): Settlement {
  const prices = createPriceReservations(vouchers);
  const endings = createPlanEndings({ accounts, letters });

  /** The account it is for, locked: the one that bought it, or the one with the verified address. */
  async function lockBuyer(tx: Executor, checkout: CheckoutRow, known: SubscriptionRow | null) {
    const userId = known?.userId ?? checkout.userId;
    if (userId) return accounts.lockOwner(tx, userId);
    const holder = await accounts.ownerByEmail(tx, checkout.email);
    if (!holder?.emailVerified) return null;
    const locked = await accounts.lockOwner(tx, holder.id);
    return locked?.emailVerified && locked.email === checkout.email ? locked : null;
  }

  /** The plan follows from what is live; where that stays as it was, the plan is left alone. */
  async function savePlan(tx: Executor, owner: OwnerRow, before: SubscriptionRow | null, at: Date): Promise<void> {
    const all = await listSubscriptions(tx, owner.id);
    const after = governing(all);
    const shown = after ?? all[0];
    const paid = after?.plan ?? 'free';
    // What an administrator has given is not taken away by a payment for less, or by none.
    const isKept = before?.plan === after?.plan || (owner.planGrantedAt !== null && rankOf(owner.plan) > rankOf(paid));
    const plan = isKept ? owner.plan : paid;
    const state = {
      plan,
      planGrantedAt: isKept ? owner.planGrantedAt : null,
      subscriptionStatus: shown?.status ?? 'active',
      subscriptionStart: shown?.createdAt ?? null,
      subscriptionEnd: shown?.endedAt ?? shown?.currentPeriodEnd ?? null,
      paymentProvider: shown?.provider ?? null,
      paymentCustomerId: shown?.providerCustomerId ?? null,
      paymentSubscriptionId: shown?.providerSubscriptionId ?? null,
    };
    await accounts.storePlan(tx, owner.id, state, at);
    if (plan === owner.plan) return;
    const details = { from: owner.plan, to: plan };
    const entry = { userId: owner.id, action: 'plan.change', resource: 'account', resourceId: owner.id };
    await audit.record(tx, { ...entry, details, at });
    if (after) await letters.plan(tx, after, owner, at);
  }

  async function save(tx: Executor, row: SubscriptionRow, owner: OwnerRow | null, at: Date): Promise<void> {
    const before = owner ? governing(await listSubscriptions(tx, owner.id)) : null;
    const known = await findSubscription(tx, row.id);
    await saveSubscription(tx, row);
    if (known?.status !== row.status) await recordStatus(audit, tx, row, at);
    if (owner) {
      await savePlan(tx, owner, before, at);
      if (!known && isLive(row)) await wakeOthers(tx, { userId: owner.id, id: row.id, at });
    }
  }

  async function savePayments(tx: Executor, row: SubscriptionRow, life: Life, owner: OwnerRow | null, at: Date) {
    if (row.provider === 'voucher') return;
    const known = new Map((await listPaymentsOf(tx, row.id)).map((payment) => [payment.providerPaymentId, payment]));
    for (const received of life.payments) {
      const before = known.get(received.paymentId);
      if (before && before.status === received.status && before.refundedPence === received.refundedPence) continue;
      const payment = await savePayment(tx, paymentRow({ ...row, provider: row.provider }, received, at));
      const details = {
        amountPence: payment.amountPence,
        refundedPence: payment.refundedPence,
        status: payment.status,
      };
      await audit.record(tx, {
        userId: row.userId,
        action: before ? 'payment.change' : 'payment.receive',
        resource: 'payment',
        resourceId: payment.id,
        details,
        at,
      });
      if (!before) await letters.receipt(tx, payment, row, owner, at);
      if (payment.refundedPence > (before?.refundedPence ?? 0)) await letters.refund(tx, payment, row, owner, at);
    }
  }

  return {
    async settle(tx, checkoutId, at) {
      const found = await findCheckout(tx, checkoutId);
      if (!found) return;
      const owner = await lockBuyer(tx, found, await findSubscription(tx, checkoutId));
      const checkout = await lockCheckout(tx, checkoutId);
      if (!checkout || checkout.provider === 'voucher') return;

      const known = await findSubscription(tx, checkoutId);
      const asked = await listAsked(tx, checkoutId);
      const events = await eventsOf(tx, checkout.provider, checkoutId, known);
      const nowMs = at.getTime();
      const { life, refused } = lifeOf(asked.map(askedOf), events.flatMap(heardOf), nowMs);
      if (life) {
        const standing = rowOf(life, { checkout, owner, known, at });
        const isRefused = await prices.follow(tx, { asked, row: standing, agreedId: life.agreedId, at });
        // The provider is told at once that a change is not to be charged.
        const row = isRefused && !standing.cancelAtPeriodEnd ? { ...standing, nextStepAt: at } : standing;
        await save(tx, row, owner, at);
        await savePayments(tx, row, life, owner, at);
        await prices.close(tx, asked, row, at);
        if (!known && !owner) await letters.waiting(tx, row, at);
        const graceDay = graceMailDue(life, nowMs);
        if (graceDay !== null) await letters.pastDue(tx, row, owner, { day: graceDay, at });
        if (!isLive(row) && (!known || isLive(known))) await endings.tell(tx, row, at);
        const refusedChange = isRefused && row.cancelAtPeriodEnd && asked.find(({ id }) => id === life.agreedId);
        if (refusedChange) await letters.refusedChange(tx, row, owner, { change: refusedChange, at });
      }
      await closeEvents(audit, tx, events, { refused, checkout, isBought: life !== null, at });
    },

    async claimFor(tx, userId, at) {
      const owner = await accounts.ownerOf(tx, userId);
      if (!owner) return;
      for (const row of await listUnclaimed(tx, owner.email)) {
        const current = await accounts.ownerOf(tx, userId);
        if (!current) return;
        const before = governing(await listSubscriptions(tx, userId));
        await giveSubscription(tx, row.id, userId);
        const entry = { userId, action: 'subscription.claim', resource: 'subscription', resourceId: row.id };
        await audit.record(tx, { ...entry, at });
        await savePlan(tx, current, before, at);
        if (isLive(row)) await wakeOthers(tx, { userId, id: row.id, at });
      }
    },

    async activate(tx, checkout, at) {
      const owner = await lockBuyer(tx, checkout, null);
      const row = freeRow(checkout, owner, at);
      await storeCheckoutPaid(tx, checkout.id, at);
      await save(tx, row, owner, at);
    },

    async write(tx, row, at) {
      await save(tx, row, row.userId ? await accounts.lockOwner(tx, row.userId) : null, at);
    },
  };
}

async function recordStatus(audit: Audit, tx: Executor, row: SubscriptionRow, at: Date): Promise<void> {
  const { id, userId, status, plan, term, provider } = row;
  const details = { status, plan, term, provider };
  await audit.record(tx, {
    userId,
    action: 'subscription.status',
    resource: 'subscription',
    resourceId: id,
    details,
    at,
  });
}

type Judged = {
  refused: { eventId: string; refusal: string }[];
  checkout: CheckoutRow;
  isBought: boolean;
  at: Date;
};

async function closeEvents(
  audit: Audit,
  tx: Executor,
  events: readonly EventRow[],
  { refused, checkout, isBought, at }: Judged,
): Promise<void> {
  const reasons = new Map(refused.map(({ eventId, refusal }) => [eventId, refusal]));
  const applied = events.filter(({ id, status }) => status !== 'applied' && !reasons.has(id));
  if (isBought) {
    const ids = applied.map(({ id }) => id);
    await storeApplied(tx, ids, checkout.id);
  }
  for (const event of events) {
    const reason = reasons.get(event.id);
    if (!reason || (event.status === 'refused' && event.reason === reason)) continue;
    await storeEvent(tx, event.id, { status: 'refused', reason, nextAttemptAt: null });
    const details = { reason, provider: event.provider, checkout: checkout.id };
    const entry = { action: 'payment.refuse', resource: 'payment-event', resourceId: event.id };
    await audit.record(tx, { userId: checkout.userId, ...entry, details, at });
  }
}

/** Everything that was told about a purchase, also under names that only another of its events ties to it. */
async function eventsOf(
  tx: Executor,
  provider: EventRow['provider'],
  checkoutId: string,
  known: SubscriptionRow | null,
): Promise<EventRow[]> {
  const names = new Set([`checkout:${checkoutId}`]);
  if (known?.providerSubscriptionId) names.add(`subscription:${known.providerSubscriptionId}`);
  if (known?.providerCustomerId) names.add(`customer:${known.providerCustomerId}`);
  let events: EventRow[] = [];
  for (let step = 0; step < tiesMax; step += 1) {
    const before = names.size;
    events = await listEventsAbout(tx, provider, [...names]);
    for (const { subjects, facts } of events) {
      for (const name of [...subjects, ...(facts ?? []).flatMap(customerOf)]) names.add(name);
    }
    if (names.size === before) break;
  }
  return events;
}

function customerOf({ customerId, kind }: PaymentFact): string[] {
  return customerId && kind === 'checkout_paid' ? [`customer:${customerId}`] : [];
}
