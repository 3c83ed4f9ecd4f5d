import type { App } from '#server/app.ts';
import { findOwner, storePlanOffered } from '#server/features/accounts/accounts.repository.ts';
import type { ActivityType } from '#server/features/accounts/activity.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { ProviderName } from '#server/platform/payments/payments.ts';
import type * as contract from '#shared/contract/billing.ts';
import { beginCheckout, changePlan, checkOwnVoucher } from './checkout.ts';
import { hasTypedVoucher } from './checkouts.repository.ts';
import { emptyEventBodies, nextEventAt, processDueEvents, receiveWebhook } from './payment-events.ts';
import { nextRenewalAt, removeAbandonedCheckouts, renewDueSubscriptions } from './renewals.ts';
import { paySandboxCheckout, readSandboxCheckout } from './sandbox-checkout.ts';
import { claimPurchases } from './settlement.ts';
import { cancelPlan, openCardChange, readBilling, readReceipt, resumePlan } from './subscriptions.ts';
import { claimWaitingVouchers } from './waiting-vouchers.ts';

// The owner's plan.

export function getBilling(app: App, { principal }: Call<typeof contract.getBilling>) {
  return readBilling(app, principal);
}

export function getReceipt(app: App, { principal, params, reply }: HttpCall<typeof contract.getReceipt>) {
  return readReceipt(app, principal, params.id, leftSignal(reply));
}

export async function cancelSubscription(app: App, call: Call<typeof contract.cancelSubscription>) {
  return { message: await cancelPlan(app, call) };
}

export async function resumeSubscription(app: App, call: Call<typeof contract.resumeSubscription>) {
  return { message: await resumePlan(app, call) };
}

export async function changeCard(app: App, call: Call<typeof contract.changeCard>) {
  return { paymentUrl: await openCardChange(app, call) };
}

export function changeSubscription(app: App, call: Call<typeof contract.changeSubscription>) {
  return changePlan(app, call, call.body);
}

/** Notes that the account was led to the plan that was chosen at registration. */
export async function notePlanOffered({ db, clock }: App, { principal }: Call<typeof contract.notePlanOffered>) {
  await storePlanOffered(db, principal.userId, await clock.now());
  return { ok: true as const };
}

// Purchases, signed in or not.

export function getPaymentProviders({ payments }: App): ProviderName[] {
  return [...payments.names];
}

export function validateVoucher(app: App, { principal, body }: Call<typeof contract.validateVoucher>) {
  return checkOwnVoucher(app, principal, body.code);
}

export function createSubscription(app: App, call: Call<typeof contract.createSubscription>) {
  return beginCheckout(app, call, call.body);
}

export function getSandboxCheckout(app: App, { params }: Call<typeof contract.getSandboxCheckout>) {
  return readSandboxCheckout(app, params.token);
}

export function processPayment(app: App, { body }: Call<typeof contract.processPayment>) {
  return paySandboxCheckout(app, body.checkout, body.card);
}

// Webhooks of payment providers. A webhook is stored before the answer, and processed after it.

export function stripeWebhook(app: App, call: HttpCall<typeof contract.stripeWebhook>) {
  return receive(app, 'stripe', call);
}

export function paypalWebhook(app: App, call: HttpCall<typeof contract.paypalWebhook>) {
  return receive(app, 'paypal', call);
}

export function sandboxWebhook(app: App, call: HttpCall<typeof contract.sandboxWebhook>) {
  return receive(app, 'sandbox', call);
}

async function receive(
  app: App,
  provider: ProviderName,
  { rawBody, request }: HttpCall<typeof contract.stripeWebhook>,
): Promise<{ received: true }> {
  await receiveWebhook(app, provider, { body: rawBody, headers: request.headers });
  return { received: true };
}

// Work without a request.

/** Processes stored webhooks and due subscriptions. Returns their number. */
export async function processDueBilling(app: App): Promise<number> {
  return (await processDueEvents(app)) + (await renewDueSubscriptions(app));
}

/** Time of the next step. Null if there is none. */
export async function nextBillingAt(app: App): Promise<Date | null> {
  const due = [await nextEventAt(app), await nextRenewalAt(app)].filter((at) => at !== null);
  return due.length > 0 ? new Date(Math.min(...due.map((at) => at.getTime()))) : null;
}

/** Removes abandoned checkouts, and the bodies of old webhooks. */
export async function tidyBilling(app: App): Promise<void> {
  await removeAbandonedCheckouts(app);
  while ((await emptyEventBodies(app)) > 0);
}

/** Gives an owner the purchases for their address, in the transaction that verifies it. */
export async function claimOnVerification(app: App, tx: Executor, userId: string, at: Date): Promise<void> {
  await claimPurchases(app, tx, userId, at);
  const owner = await findOwner(tx, userId);
  if (owner) await claimWaitingVouchers(app, tx, { owner, at });
}

/** Uses a voucher that the owner typed before signing in, in the transaction of the sign-in. */
export async function claimOnSignIn(
  app: App,
  tx: Executor,
  { userId, at, type }: { userId: string; at: Date; type: ActivityType },
): Promise<void> {
  if (type !== 'login' || !(await hasTypedVoucher(tx, userId, at))) return;
  const owner = await findOwner(tx, userId);
  if (owner) await claimWaitingVouchers(app, tx, { owner, at });
}
