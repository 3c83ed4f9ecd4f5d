import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Principal } from '#server/features/accounts/principal.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import {
  checkAndLockVoucher,
  checkVoucher,
  releaseVoucherReservation,
  reserveVoucher,
  spendVoucher,
} from '#server/features/vouchers/vouchers.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { PaymentProvider } from '#server/platform/payments/payments.ts';
import { isSandbox } from '#server/platform/payments/sandbox-provider.ts';
import type { createSubscription } from '#shared/contract/billing.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteBody } from '#shared/contract/route.ts';
import { productName } from '#shared/product.ts';
import { plans } from '#shared/rules/plans.ts';
import {
  type BillingCycle,
  type BillingTerm,
  catalogPrice,
  isSamePrice,
  type PaidPlanName,
  payablePence,
} from '#shared/rules/prices.ts';
import { governing, isLive } from './billing.rules.ts';
import {
  type CheckoutRow,
  expireCheckout,
  expireOpenCheckouts,
  expireSameWaiting,
  findChange,
  insertCheckout,
  storeOpened,
} from './checkouts.repository.ts';
import { receiveWebhookNow } from './payment-events.ts';
import { activated, asking, cancelledFirst, nothingIsSold, nothingToChange } from './payment-trouble.ts';
import { activateFreePlan, settlePurchase } from './settlement.ts';
import { providerSubscriptionOf } from './subscription-rows.ts';
import { findCustomerId, listSubscriptions, type SubscriptionRow } from './subscriptions.repository.ts';
import { tellWaiting, waitingVoucherMs } from './waiting-vouchers.ts';

export type Caller = { principal: Principal | null; origin: RequestOrigin };
export type CheckoutAnswer = { paymentUrl?: string; message?: string };

type Wish = RouteBody<typeof createSubscription>;
type Change = { plan: 'essential' | 'premium'; billingCycle: BillingCycle; finalPrice: number };

/** Time to pay a checkout. Its voucher is reserved for as long. */
export const checkoutMs = 60 * 60_000;
/**
 * Time a voucher stays reserved for a change that the owner must accept at PayPal. PayPal's page sets no limit of its
 * own.
 */
const agreementMs = 24 * 60 * 60_000;

type Asked = {
  plan: PaidPlanName;
  term: BillingTerm;
  listPence: number;
  amountPence: number;
  voucherCodeId: string | null;
};

type Begun = {
  checkout: CheckoutRow;
  live: SubscriptionRow | null;
  replaced: readonly CheckoutRow[];
  /** The plan is free by a voucher, and begins when its owner verifies the address or signs in. */
  isWaiting: boolean;
};

/** Discount that the caller can use with this voucher. @throws AppError with the reason if there is none. */
export async function checkOwnVoucher(
  app: App,
  principal: Principal | null,
  code: string,
): ReturnType<typeof checkVoucher> {
  const owner: OwnerRow | null = principal ? await findOwner(app.db, principal.userId) : null;
  return checkVoucher(app, app.db, { code, email: owner?.email ?? null }, await app.clock.now());
}

/** Changes a paid plan. @throws AppError `CONFLICT` if there is none, or it is that one already. */
export async function changePlan(
  app: App,
  caller: Caller & { principal: Principal },
  change: Change,
): Promise<CheckoutAnswer> {
  const current = governing(await listSubscriptions(app.db, caller.principal.userId));
  if (!current || current.provider === 'voucher' || current.term === 'once') throw nothingToChange();
  return beginCheckout(app, caller, { ...change, voucherCode: null, email: null, provider: current.provider });
}

/**
 * Begins a purchase. With a plan that is paid for already it becomes a change of that one.
 * @throws AppError `CONFLICT` for a price that is not ours, a voucher that cannot be used, or a plan one has.
 */
export async function beginCheckout(app: App, caller: Caller, wish: Wish): Promise<CheckoutAnswer> {
  const provider = providerOf(app, wish.provider);
  const { checkout, live, replaced, isWaiting } = await open(app, caller, wish, provider);
  for (const { providerReference, provider: name } of replaced) {
    if (providerReference) await app.payments.find(name)?.closeCheckout(providerReference);
  }
  if (checkout.provider === 'voucher' || !provider) {
    return { message: activated(checkout.plan, { isSignedIn: caller.principal !== null, isWaiting }) };
  }
  try {
    return live ? await changePrice(app, provider, checkout, live) : await leave(app, provider, checkout);
  } catch (error) {
    await abandon(app, checkout);
    throw error;
  }
}

/** The price is ours. The page must have shown the same, to the penny. */
async function priceOf(app: App, tx: Executor, wish: Wish, email: string, at: Date): Promise<Asked> {
  const { plan, billingCycle, voucherCode, finalPrice } = wish;
  const voucher = voucherCode ? await checkAndLockVoucher(app, tx, { code: voucherCode, email }, at) : null;
  const amountPence = payablePence(plan, billingCycle, voucher);
  if (!isSamePrice(finalPrice, amountPence)) {
    throw new AppError('CONFLICT', 'The price has changed. Reload the page to see what the plan costs now.');
  }
  const { term, listPence } = catalogPrice(plan, billingCycle);
  return { plan, term, listPence, amountPence, voucherCodeId: voucher?.id ?? null };
}

/** Makes all decisions in one transaction. No provider has been called yet. */
async function open(app: App, caller: Caller, wish: Wish, provider: PaymentProvider | null): Promise<Begun> {
  return app.db.transaction(async (tx) => {
    const owner = caller.principal ? await lockOwnerRow(tx, caller.principal.userId) : null;
    if (caller.principal && !owner) throw notFound();
    const email = owner?.email ?? wish.email;
    if (!email) throw new AppError('VALIDATION', 'Please enter your email address to proceed.');
    const at = await app.clock.now(tx);
    const asked = await priceOf(app, tx, wish, email, at);
    if (!provider && asked.amountPence > 0) throw nothingIsSold();
    const found = owner ? changeable(await listSubscriptions(tx, owner.id), asked, provider) : null;
    const isRefused = found !== null && (await findChange(tx, found.id, 'refused')) !== null;
    // PayPal keeps the refused price, so the plan continues only as a new purchase.
    const live = isRefused ? null : found;
    const isAgreedElsewhere = live?.provider === 'paypal';
    if (isAgreedElsewhere && live.cancelAtPeriodEnd) throw cancelledFirst();
    const purpose = live ? 'change' : 'subscribe';
    const replaced = await expireOpenCheckouts(tx, { email, userId: owner?.id ?? null, purpose });
    for (const { id } of replaced) await releaseVoucherReservation(tx, id);

    const { plan, term, listPence, amountPence, voucherCodeId } = asked;
    const isFree = amountPence === 0;
    // A signed-out caller has not shown that the address is theirs, so a free plan waits for its owner.
    const isWaiting = isFree && !owner?.emailVerified;
    if (isWaiting && !owner) await expireSameWaiting(tx, { email, voucherCodeId, plan, term });
    const expiresAt = new Date(at.getTime() + (isWaiting ? waitingVoucherMs : checkoutMs));
    const checkout = await insertCheckout(tx, {
      id: randomUUID(),
      purpose,
      userId: owner?.id ?? null,
      email,
      provider: isFree || !provider ? 'voucher' : provider.name,
      subscriptionId: live?.id ?? null,
      plan,
      term,
      listPricePence: listPence,
      amountPence,
      voucherCodeId,
      createdAt: at,
      expiresAt,
    });
    if (voucherCodeId && !isWaiting) {
      const use = { voucherCodeId, userId: owner?.id ?? null, checkoutId: checkout.id, email };
      if (isFree) await spendVoucher(app, tx, use, at);
      else await reserveVoucher(app, tx, use, isAgreedElsewhere ? new Date(at.getTime() + agreementMs) : expiresAt);
    }
    await record(app, tx, caller, checkout, at);
    if (isWaiting) await tellWaiting(app, tx, checkout, at);
    else if (isFree) await activateFreePlan(app, tx, checkout, at);
    return { checkout, live, replaced, isWaiting };
  });
}

async function record(app: App, tx: Executor, { origin }: Caller, checkout: CheckoutRow, at: Date): Promise<void> {
  const { id, userId, purpose, plan, term, amountPence, provider } = checkout;
  const details = { purpose, plan, term, amountPence, provider };
  const entry = { userId, action: 'checkout.begin', resource: 'checkout', resourceId: id };
  await recordAudit(app, tx, { ...entry, details, origin, at });
}

/** Reverts the checkout, because the provider refused it. */
async function abandon(app: App, checkout: CheckoutRow): Promise<void> {
  await app.db.transaction(async (tx) => {
    await expireCheckout(tx, checkout.id);
    await releaseVoucherReservation(tx, checkout.id);
  });
}

async function leave(app: App, provider: PaymentProvider, checkout: CheckoutRow): Promise<CheckoutAnswer> {
  const { id: checkoutId, email, expiresAt, userId } = checkout;
  const customerId = userId ? await findCustomerId(app.db, provider.name, userId) : null;
  const context = { checkoutId, email, customerId, expiresAt, ...returnAddresses(app.baseUrl, checkout) };
  const opened = await asking(() => provider.openCheckout({ ...askedPrice(checkout), ...context }));
  await storeOpened(app.db, {
    id: checkoutId,
    providerReference: opened.reference,
    providerPriceId: opened.priceId,
    tokenHash: isSandbox(provider) ? app.serviceKeys.hashToken(provider.tokenFor(checkoutId)) : null,
  });
  return { paymentUrl: opened.url };
}

async function changePrice(
  app: App,
  provider: PaymentProvider,
  checkout: CheckoutRow,
  live: SubscriptionRow,
): Promise<CheckoutAnswer> {
  const subscription = providerSubscriptionOf(live);
  if (!subscription) throw nothingToChange();
  const price = askedPrice(checkout);
  const changed = await asking(() =>
    provider.changePrice(subscription, { ...price, ...returnAddresses(app.baseUrl, checkout) }),
  );
  const { priceId: providerPriceId, approvalUrl } = changed;
  const reference = `change_${checkout.id}`;
  await storeOpened(app.db, { id: checkout.id, providerReference: reference, providerPriceId, tokenHash: null });
  if (isSandbox(provider)) await receiveWebhookNow(app, 'sandbox', await provider.priceChanged(subscription, price));
  // Events that arrived before we knew the name of the price are read again.
  await app.db.transaction(async (tx) => settlePurchase(app, tx, live.id, await app.clock.now(tx)));
  if (approvalUrl) return { paymentUrl: approvalUrl };
  return { message: `Your plan is changing to ${plans[checkout.plan].title}.` };
}

/** Null if the service sells nothing. A plan that a voucher makes free needs no provider. */
function providerOf(app: App, wanted: string | undefined): PaymentProvider | null {
  if (app.payments.names.length === 0) return null;
  const provider = app.payments.find(wanted ?? app.payments.names[0] ?? '');
  if (!provider) throw new AppError('VALIDATION', 'This way to pay is not offered here. Choose another.');
  return provider;
}

const askedPrice = ({ plan, term, amountPence }: CheckoutRow) => ({
  plan,
  title: `${productName} ${plans[plan].title}`,
  term,
  amountPence,
});

const returnAddresses = (baseUrl: string, { plan, userId }: CheckoutRow) => ({
  returnUrl: `${baseUrl}${userId ? '/account' : '/subscribe'}?payment=returned`,
  leaveUrl: `${baseUrl}/subscribe?plan=${plan}&payment=left`,
});

/**
 * The subscription that a new wish changes: a renewing one with the same provider, or none.
 * @throws AppError `CONFLICT` if the owner has the wished plan already.
 */
function changeable(
  subscriptions: readonly SubscriptionRow[],
  asked: Asked,
  provider: PaymentProvider | null,
): SubscriptionRow | null {
  const current = governing(subscriptions);
  if (current?.term === 'once') throw new AppError('CONFLICT', `You have ${plans[current.plan].title} already.`);
  const isSame = current?.plan === asked.plan && current.term === asked.term;
  if (isSame && !current.cancelAtPeriodEnd && current.pricePence <= asked.amountPence) {
    throw new AppError('CONFLICT', `You are on ${plans[asked.plan].title} already.`);
  }
  if (asked.term === 'once' || asked.amountPence === 0) return null;
  return subscriptions.find((each) => isLive(each) && each.term !== 'once' && each.provider === provider?.name) ?? null;
}
