import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Principal } from '#server/features/accounts/principal.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import type { PaymentProvider, ProviderSubscription } from '#server/platform/payments/payments.ts';
import { periodEndAfter } from '#server/platform/payments/periods.ts';
import { isSandbox } from '#server/platform/payments/sandbox-provider.ts';
import type { getBilling } from '#shared/contract/billing.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { type PlanName, plans } from '#shared/rules/plans.ts';
import { governing, statusOf } from './billing.rules.ts';
import { receiptOf, sendCancelled } from './billing-letters.ts';
import { checkoutMs } from './checkout.ts';
import { findChange, hasOpenCheckout, insertCheckout } from './checkouts.repository.ts';
import { noteProviderAnswer } from './payment-events.ts';
import { asking } from './payment-trouble.ts';
import { receiptFile } from './receipts/receipt.ts';
import { forgetStop } from './release-stops/release-stops.repository.ts';
import { writeSubscription } from './settlement.ts';
import { changeOf, paymentAnswer, standingOf } from './subscription-answers.ts';
import { providerSubscriptionOf } from './subscription-rows.ts';
import { findPayment, listPayments, listSubscriptions, type SubscriptionRow } from './subscriptions.repository.ts';

type Actor = { principal: Principal; origin: RequestOrigin };

/** True if an owner's plan comes from a live subscription. The owner's row is locked. */
export async function isSubscribed(tx: Executor, userId: string): Promise<boolean> {
  return governing(await listSubscriptions(tx, userId)) !== null;
}

/**
 * Sentence for an owner about a plan that ended while the account was being deleted; null if there is none. A restored
 * plan stays cancelled, so an owner is never charged without asking for it.
 */
export async function noticeOnRestore(tx: Executor, userId: string, since: Date): Promise<string | null> {
  const all = await listSubscriptions(tx, userId);
  const row = governing(all);
  if (row) return row.cancelAtPeriodEnd && row.currentPeriodEnd ? keepWords(row.plan, row.currentPeriodEnd) : null;
  const ended = all.find(({ endedAt }) => endedAt !== null && endedAt >= since);
  return ended?.endedAt ? endedWords(ended.plan, ended.endedAt) : null;
}

export async function readBilling(app: App, principal: Principal): Promise<RouteAnswer<typeof getBilling>> {
  const owner = await findOwner(app.db, principal.userId);
  if (!owner) throw notFound();
  const now = await app.clock.now();
  const all = await listSubscriptions(app.db, owner.id);
  const shown = governing(all);
  const isAwaitingPayment = await hasOpenCheckout(app.db, owner.id, now);
  const paid = (await listPayments(app.db, owner.id)).map(paymentAnswer);
  const agreed = shown && (await findChange(app.db, shown.id, 'agreed'));
  const refused = shown && (await findChange(app.db, shown.id, 'refused'));
  const standing = standingOf(shown, (row) => atProvider(app, row));
  return {
    ...standing,
    plan: owner.plan,
    status: statusOf(all),
    nextChange: standing.nextPaymentAt && agreed ? changeOf(agreed) : null,
    refusedChange: refused ? changeOf(refused) : null,
    can: { ...standing.can, resume: standing.can.resume && !refused },
    isAwaitingPayment,
    providers: [...app.payments.names],
    payments: paid,
  };
}

/** A receipt as a file. `signal` aborts when its reader leaves. @throws AppError `NOT_FOUND`. */
export async function readReceipt(
  app: App,
  principal: Principal,
  paymentId: string,
  signal?: AbortSignal,
): Promise<OutgoingFile> {
  const payment = await findPayment(app.db, principal.userId, paymentId);
  const owner = payment && (await findOwner(app.db, principal.userId));
  if (!payment || !owner) throw notFound();
  const { firstName, lastName, email } = owner;
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return receiptFile({ receipt: receiptOf(payment), paidBy: { name, email } }, signal);
}

/** Each returns a sentence. @throws AppError `CONFLICT` if the owner has no plan to change. */
export async function cancelPlan(app: App, actor: Actor): Promise<string> {
  const row = await current(app, actor.principal);
  if (row.term === 'once') throw notCancellable();
  if (row.cancelAtPeriodEnd) throw new AppError('CONFLICT', 'This plan is cancelled already.');
  await setCancelled(app, row, true);
  const ending = (await listSubscriptions(app.db, actor.principal.userId)).find(({ id }) => id === row.id) ?? row;
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, actor.principal.userId);
    await forgetStop(tx, row.id);
    const at = await record(app, tx, actor, 'subscription.cancel', row);
    await sendCancelled(app, tx, ending, owner, at);
  });
  return ending.currentPeriodEnd
    ? `Your plan is cancelled. You have it until ${longDate.format(ending.currentPeriodEnd)}.`
    : 'Your plan is cancelled.';
}

export async function resumePlan(app: App, actor: Actor): Promise<string> {
  const row = await current(app, actor.principal);
  if (!row.cancelAtPeriodEnd) throw new AppError('CONFLICT', 'This plan is not cancelled.');
  if (await findChange(app.db, row.id, 'refused')) throw voucherGone();
  await setCancelled(app, row, false);
  await app.db.transaction(async (tx) => {
    await lockOwnerRow(tx, actor.principal.userId);
    await forgetStop(tx, row.id);
    await record(app, tx, actor, 'subscription.resume', row);
  });
  return 'Your plan goes on.';
}

/** Opens the provider's page for another card. */
export async function openCardChange(app: App, actor: Actor): Promise<string> {
  const row = await current(app, actor.principal);
  const known = atProvider(app, row);
  if (!known) throw noCard();
  const url = isSandbox(known.provider)
    ? await openSandboxCard(app, row)
    : await asking(() => known.provider.openCardChange(known.subscription, `${app.baseUrl}/account`));
  if (!url) throw noCard();
  await app.db.transaction(async (tx) => {
    await lockOwnerRow(tx, actor.principal.userId);
    await record(app, tx, actor, 'subscription.change-card', row);
  });
  return url;
}

async function current(app: App, { userId }: Principal): Promise<SubscriptionRow> {
  const row = governing(await listSubscriptions(app.db, userId));
  if (!row) throw new AppError('CONFLICT', 'You have no plan that is paid for.');
  return row;
}

function atProvider(
  app: App,
  row: SubscriptionRow,
): { provider: PaymentProvider; subscription: ProviderSubscription } | null {
  const provider = app.payments.find(row.provider);
  const subscription = providerSubscriptionOf(row);
  return provider && subscription ? { provider, subscription } : null;
}

/** Keeps what the provider answered, or writes what only we know of: a plan that a voucher made free. */
async function setCancelled(app: App, row: SubscriptionRow, isCancelled: boolean): Promise<void> {
  const known = atProvider(app, row);
  if (known && row.provider !== 'voucher') {
    const { provider, subscription } = known;
    const facts = await asking(() =>
      isCancelled ? provider.cancelAtPeriodEnd(subscription) : provider.resume(subscription),
    );
    return noteProviderAnswer(app, row.provider, row.id, facts);
  }
  if (row.provider !== 'voucher' || row.term === 'once') throw notCancellable();
  const { term } = row;
  await app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    if (row.userId) await lockOwnerRow(tx, row.userId);
    const endsAt = isCancelled ? periodEndAfter(row.createdAt, term, at) : null;
    const change = { cancelAtPeriodEnd: isCancelled, currentPeriodEnd: endsAt, nextStepAt: endsAt };
    await writeSubscription(app, tx, { ...row, ...change, updatedAt: at }, at);
  });
}

async function record(
  app: App,
  tx: Executor,
  { principal, origin }: Actor,
  action: string,
  row: SubscriptionRow,
): Promise<Date> {
  const at = await app.clock.now(tx);
  const entry = { userId: principal.userId, action, resource: 'subscription', resourceId: row.id };
  await recordAudit(app, tx, { ...entry, origin, at });
  return at;
}

/** Sandbox page for another card; null if there is none. */
async function openSandboxCard(app: App, row: SubscriptionRow): Promise<string | null> {
  const sandbox = app.payments.find('sandbox');
  if (!sandbox || !isSandbox(sandbox)) return null;
  const at = await app.clock.now();
  const id = randomUUID();
  const token = sandbox.tokenFor(id);
  await insertCheckout(app.db, {
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
    tokenHash: app.serviceKeys.hashToken(token),
    createdAt: at,
    expiresAt: new Date(at.getTime() + checkoutMs),
  });
  return `${app.baseUrl}/checkout/${token}`;
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
