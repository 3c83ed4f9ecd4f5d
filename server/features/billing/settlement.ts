import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import {
  findOwner,
  findOwnerByEmail,
  lockOwnerRow,
  storePlanRow,
} from '#server/features/accounts/accounts.repository.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { PaymentFact } from '#server/platform/payments/payment-facts.rules.ts';
import { governing, isLive, rankOf } from './billing.rules.ts';
import {
  sendPastDue,
  sendPlan,
  sendPurchaseWaits,
  sendReceipt,
  sendRefund,
  sendRefusedChange,
} from './billing-letters.ts';
import { type CheckoutRow, findCheckout, listAsked, lockCheckout, storeCheckoutPaid } from './checkouts.repository.ts';
import { graceMailDue, type Purchase, purchaseStateOf } from './lifecycle.rules.ts';
import { type EventRow, listEventsAbout, storeApplied, storeEvent } from './payment-events.repository.ts';
import { sendPlanEnding } from './plan-endings.ts';
import { closePrices, followPrices } from './price-reservations.ts';
import { askedOf, freeRow, paymentRow, reportedFactsOf, rowOf } from './subscription-rows.ts';
import {
  findSubscription,
  giveSubscription,
  listPaymentsOf,
  listSubscriptions,
  listUnclaimed,
  makeOthersDue,
  type SubscriptionRow,
  savePayment,
  saveSubscription,
} from './subscriptions.repository.ts';

/** Largest number of searches for events of one purchase. Each search adds the names that the found events mention. */
const searchesMax = 6;

/**
 * Computes a purchase from all its events, and saves the plan, payments, receipts, mails and audit entries. Any order
 * of the same facts gives the same result, and a repeat changes nothing.
 */
export async function settlePurchase(app: App, tx: Executor, checkoutId: string, at: Date): Promise<void> {
  const found = await findCheckout(tx, checkoutId);
  if (!found) return;
  const owner = await lockBuyer(tx, found, await findSubscription(tx, checkoutId));
  const checkout = await lockCheckout(tx, checkoutId);
  if (!checkout || checkout.provider === 'voucher') return;

  const known = await findSubscription(tx, checkoutId);
  const asked = await listAsked(tx, checkoutId);
  const events = await eventsOf(tx, checkout.provider, checkoutId, known);
  const nowMs = at.getTime();
  const { purchase, refused } = purchaseStateOf(asked.map(askedOf), events.flatMap(reportedFactsOf), nowMs);
  if (purchase) {
    const computed = rowOf(purchase, { checkout, owner, known, at });
    const isChangeRefused = await followPrices(app, tx, { asked, row: computed, agreedId: purchase.agreedId, at });
    // The refused change must be cancelled at the provider before its first charge, so the next step is due now.
    const row = isChangeRefused && !computed.cancelAtPeriodEnd ? { ...computed, nextStepAt: at } : computed;
    await save(app, tx, row, owner, at);
    await savePayments(app, tx, row, purchase, owner, at);
    await closePrices(app, tx, asked, row, at);
    if (!known && !owner) await sendPurchaseWaits(app, tx, row, at);
    const graceDay = graceMailDue(purchase, nowMs);
    if (graceDay !== null) await sendPastDue(app, tx, row, owner, { day: graceDay, at });
    if (!isLive(row) && (!known || isLive(known))) await sendPlanEnding(app, tx, row, at);
    const refusedChange = isChangeRefused && row.cancelAtPeriodEnd && asked.find(({ id }) => id === purchase.agreedId);
    if (refusedChange) await sendRefusedChange(app, tx, row, owner, { change: refusedChange, at });
  }
  await closeEvents(app, tx, events, { refused, checkout, isBought: purchase !== null, at });
}

/** Assigns purchases that were made with this owner's verified address. The owner's row is locked. */
export async function claimPurchases(app: App, tx: Executor, userId: string, at: Date): Promise<void> {
  const owner = await findOwner(tx, userId);
  if (!owner) return;
  for (const row of await listUnclaimed(tx, owner.email)) {
    // Each purchase may change the owner's plan.
    const current = await findOwner(tx, userId);
    if (!current) return;
    const before = governing(await listSubscriptions(tx, userId));
    await giveSubscription(tx, row.id, userId);
    const entry = { userId, action: 'subscription.claim', resource: 'subscription', resourceId: row.id };
    await recordAudit(app, tx, { ...entry, at });
    await savePlan(app, tx, current, before, at);
    if (isLive(row)) await makeOthersDue(tx, { userId, id: row.id, at });
  }
}

/** Begins a plan that a voucher makes free, without a provider. The row of its verified owner is locked. */
export async function activateFreePlan(app: App, tx: Executor, checkout: CheckoutRow, at: Date): Promise<void> {
  const owner = await lockBuyer(tx, checkout, null);
  const row = freeRow(checkout, owner, at);
  await storeCheckoutPaid(tx, checkout.id, at);
  await save(app, tx, row, owner, at);
}

/** Saves a subscription without new facts, and updates the owner's plan. The owner's row is locked. */
export async function writeSubscription(app: App, tx: Executor, row: SubscriptionRow, at: Date): Promise<void> {
  await save(app, tx, row, row.userId ? await lockOwnerRow(tx, row.userId) : null, at);
}

/** Locks the buyer's account: the account that bought, or else the account with the verified address. */
async function lockBuyer(tx: Executor, checkout: CheckoutRow, known: SubscriptionRow | null) {
  const userId = known?.userId ?? checkout.userId;
  if (userId) return lockOwnerRow(tx, userId);
  const holder = await findOwnerByEmail(tx, checkout.email);
  if (!holder?.emailVerified) return null;
  const locked = await lockOwnerRow(tx, holder.id);
  return locked?.emailVerified && locked.email === checkout.email ? locked : null;
}

/** Sets the owner's plan from the live subscriptions. It is kept if the highest of their plans did not change. */
async function savePlan(
  app: App,
  tx: Executor,
  owner: OwnerRow,
  before: SubscriptionRow | null,
  at: Date,
): Promise<void> {
  const all = await listSubscriptions(tx, owner.id);
  const after = governing(all);
  const shown = after ?? all[0];
  const paid = after?.plan ?? 'free';
  // A plan that an administrator gave stays, unless a payment for a higher plan replaces it.
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
  await storePlanRow(tx, owner.id, state, at);
  if (plan === owner.plan) return;
  const details = { from: owner.plan, to: plan };
  const entry = { userId: owner.id, action: 'plan.change', resource: 'account', resourceId: owner.id };
  await recordAudit(app, tx, { ...entry, details, at });
  if (after) await sendPlan(app, tx, after, owner, at);
}

/** Saves a subscription and the owner's plan. Records a new status. */
async function save(app: App, tx: Executor, row: SubscriptionRow, owner: OwnerRow | null, at: Date): Promise<void> {
  const before = owner ? governing(await listSubscriptions(tx, owner.id)) : null;
  const known = await findSubscription(tx, row.id);
  await saveSubscription(tx, row);
  if (known?.status !== row.status) await recordStatus(app, tx, row, at);
  if (owner) {
    await savePlan(app, tx, owner, before, at);
    if (!known && isLive(row)) await makeOthersDue(tx, { userId: owner.id, id: row.id, at });
  }
}

async function savePayments(
  app: App,
  tx: Executor,
  row: SubscriptionRow,
  purchase: Purchase,
  owner: OwnerRow | null,
  at: Date,
) {
  const { provider } = row;
  if (provider === 'voucher') return;
  const known = new Map((await listPaymentsOf(tx, row.id)).map((payment) => [payment.providerPaymentId, payment]));
  for (const received of purchase.payments) {
    const before = known.get(received.paymentId);
    if (before && before.status === received.status && before.refundedPence === received.refundedPence) continue;
    const payment = await savePayment(tx, paymentRow({ ...row, provider }, received, at));
    const details = {
      amountPence: payment.amountPence,
      refundedPence: payment.refundedPence,
      status: payment.status,
    };
    await recordAudit(app, tx, {
      userId: row.userId,
      action: before ? 'payment.change' : 'payment.receive',
      resource: 'payment',
      resourceId: payment.id,
      details,
      at,
    });
    if (!before) await sendReceipt(app, tx, payment, row, owner, at);
    if (payment.refundedPence > (before?.refundedPence ?? 0)) await sendRefund(app, tx, payment, row, owner, at);
  }
}

async function recordStatus(app: App, tx: Executor, row: SubscriptionRow, at: Date): Promise<void> {
  const { id, userId, status, plan, term, provider } = row;
  const details = { status, plan, term, provider };
  await recordAudit(app, tx, {
    userId,
    action: 'subscription.status',
    resource: 'subscription',
    resourceId: id,
    details,
    at,
  });
}

type PurchaseOutcome = {
  refused: { eventId: string; refusal: string }[];
  checkout: CheckoutRow;
  isBought: boolean;
  at: Date;
};

/** Marks events of a purchase as applied or refused. */
async function closeEvents(
  app: App,
  tx: Executor,
  events: readonly EventRow[],
  { refused, checkout, isBought, at }: PurchaseOutcome,
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
    await recordAudit(app, tx, { userId: checkout.userId, ...entry, details, at });
  }
}

/** Finds all events of a purchase, also events that only another event connects to it. */
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
  for (let step = 0; step < searchesMax; step += 1) {
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
