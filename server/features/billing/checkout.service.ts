import { randomUUID } from 'node:crypto';
import type { Accounts, OwnerRow, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Vouchers } from '#server/features/vouchers/vouchers.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { PaymentProvider, Payments } from '#server/platform/payments/payments.ts';
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
import type { BillingLetters } from './billing.letters.service.ts';
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
import type { PaymentEvents } from './payment-events.service.ts';
import { activated, asking, cancelledFirst, nothingIsSold, nothingToChange } from './payment-trouble.ts';
import type { Settlement } from './settlement.service.ts';
import { heldOf } from './subscription-rows.ts';
import { findCustomerId, listSubscriptions, type SubscriptionRow } from './subscriptions.repository.ts';
import { tellWaiting, waitingVoucherMs } from './waiting-vouchers.service.ts';

export type Caller = { principal: Principal | null; origin: RequestOrigin };
export type CheckoutAnswer = { paymentUrl?: string; message?: string };

type Wish = RouteBody<typeof createSubscription>;
type Change = { plan: 'essential' | 'premium'; billingCycle: BillingCycle; finalPrice: number };

export type Checkouts = {
  /** What can be used of a voucher by whoever asks. @throws AppError with the reason why it cannot be. */
  lookAtVoucher(principal: Principal | null, code: string): ReturnType<Vouchers['look']>;
  /**
   * Begins a purchase. With a plan that is paid for already it becomes a change of that one.
   * @throws AppError `CONFLICT` for a price that is not ours, a voucher that cannot be used, or a plan one has.
   */
  begin(caller: Caller, wish: Wish): Promise<CheckoutAnswer>;
  /** Changes a plan that is paid for. @throws AppError `CONFLICT` where there is none, or it is that one already. */
  change(caller: Caller & { principal: Principal }, change: Change): Promise<CheckoutAnswer>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf'>;
  audit: Audit;
  payments: Payments;
  vouchers: Vouchers;
  settlement: Settlement;
  letters: Pick<BillingLetters, 'voucherWaits'>;
  events: PaymentEvents;
  baseUrl: string;
};

/** How long a checkout can be paid, and a voucher is held for it. */
export const checkoutMs = 60 * 60_000;
/** How long a voucher is held for a change that its owner has still to agree to at PayPal, whose page has no end of ours. */
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

export function createCheckouts(deps: Dependencies): Checkouts {
  const { db, clock, hashToken, accounts, audit, payments, vouchers, settlement, events, baseUrl } = deps;

  /** The price is ours: what the page shows has to be the same, to the penny. */
  async function priceOf(tx: Executor, wish: Wish, email: string, at: Date): Promise<Asked> {
    const { plan, billingCycle, voucherCode, finalPrice } = wish;
    const voucher = voucherCode ? await vouchers.claim(tx, { code: voucherCode, email }, at) : null;
    const amountPence = payablePence(plan, billingCycle, voucher);
    if (!isSamePrice(finalPrice, amountPence)) {
      throw new AppError('CONFLICT', 'The price has changed. Reload the page to see what the plan costs now.');
    }
    const { term, listPence } = catalogPrice(plan, billingCycle);
    return { plan, term, listPence, amountPence, voucherCodeId: voucher?.id ?? null };
  }

  /** Everything that is decided, in one transaction; nobody outside was asked yet. */
  async function open(caller: Caller, wish: Wish, provider: PaymentProvider | null): Promise<Begun> {
    return db.transaction(async (tx) => {
      const owner = caller.principal ? await accounts.lockOwner(tx, caller.principal.userId) : null;
      if (caller.principal && !owner) throw notFound();
      const email = owner?.email ?? wish.email;
      if (!email) throw new AppError('VALIDATION', 'Please enter your email address to proceed.');
      const at = await clock.now(tx);
      const asked = await priceOf(tx, wish, email, at);
      if (!provider && asked.amountPence > 0) throw nothingIsSold();
      const found = owner ? changeable(await listSubscriptions(tx, owner.id), asked, provider) : null;
      const isRefused = found !== null && (await findChange(tx, found.id, 'refused')) !== null;
      // PayPal keeps the price that had to be refused, so going on begins with a purchase of its own.
      const live = isRefused ? null : found;
      const isAgreedElsewhere = live?.provider === 'paypal';
      if (isAgreedElsewhere && live.cancelAtPeriodEnd) throw cancelledFirst();
      const purpose = live ? 'change' : 'subscribe';
      const replaced = await expireOpenCheckouts(tx, { email, userId: owner?.id ?? null, purpose });
      for (const { id } of replaced) await vouchers.release(tx, id);

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
        if (isFree) await vouchers.spend(tx, use, at);
        else await vouchers.hold(tx, use, isAgreedElsewhere ? new Date(at.getTime() + agreementMs) : expiresAt);
      }
      await record(tx, caller, checkout, at);
      if (isWaiting) await tellWaiting(deps, tx, checkout, at);
      else if (isFree) await settlement.activate(tx, checkout, at);
      return { checkout, live, replaced, isWaiting };
    });
  }

  async function record(tx: Executor, { origin }: Caller, checkout: CheckoutRow, at: Date): Promise<void> {
    const { id, userId, purpose, plan, term, amountPence, provider } = checkout;
    const details = { purpose, plan, term, amountPence, provider };
    const entry = { userId, action: 'checkout.begin', resource: 'checkout', resourceId: id };
    await audit.record(tx, { ...entry, details, origin, at });
  }

  /** Takes back what was decided, since the provider did not go along. */
  async function abandon(checkout: CheckoutRow): Promise<void> {
    await db.transaction(async (tx) => {
      await expireCheckout(tx, checkout.id);
      await vouchers.release(tx, checkout.id);
    });
  }

  async function leave(provider: PaymentProvider, checkout: CheckoutRow): Promise<CheckoutAnswer> {
    const { id: checkoutId, email, expiresAt, userId } = checkout;
    const customerId = userId ? await findCustomerId(db, provider.name, userId) : null;
    const context = { checkoutId, email, customerId, expiresAt, ...returnAddresses(baseUrl, checkout) };
    const opened = await asking(() => provider.openCheckout({ ...askedPrice(checkout), ...context }));
    await storeOpened(db, {
      id: checkoutId,
      providerReference: opened.reference,
      providerPriceId: opened.priceId,
      tokenHash: isSandbox(provider) ? hashToken(provider.tokenFor(checkoutId)) : null,
    });
    return { paymentUrl: opened.url };
  }

  async function changePrice(
    provider: PaymentProvider,
    checkout: CheckoutRow,
    live: SubscriptionRow,
  ): Promise<CheckoutAnswer> {
    const held = heldOf(live);
    if (!held) throw nothingToChange();
    const price = askedPrice(checkout);
    const changed = await asking(() => provider.changePrice(held, { ...price, ...returnAddresses(baseUrl, checkout) }));
    const { priceId: providerPriceId, approvalUrl } = changed;
    const reference = `change_${checkout.id}`;
    await storeOpened(db, { id: checkout.id, providerReference: reference, providerPriceId, tokenHash: null });
    if (isSandbox(provider)) await events.receiveNow('sandbox', await provider.priceChanged(held, price));
    // What the provider told before we knew the name of the price is read again.
    await db.transaction(async (tx) => settlement.settle(tx, live.id, await clock.now(tx)));
    if (approvalUrl) return { paymentUrl: approvalUrl };
    return { message: `Your plan is changing to ${plans[checkout.plan].title}.` };
  }

  async function begin(caller: Caller, wish: Wish): Promise<CheckoutAnswer> {
    const provider = providerOf(payments, wish.provider);
    const { checkout, live, replaced, isWaiting } = await open(caller, wish, provider);
    for (const { providerReference, provider: name } of replaced) {
      if (providerReference) await payments.find(name)?.closeCheckout(providerReference);
    }
    if (checkout.provider === 'voucher' || !provider) {
      return { message: activated(checkout.plan, { isSignedIn: caller.principal !== null, isWaiting }) };
    }
    try {
      return live ? await changePrice(provider, checkout, live) : await leave(provider, checkout);
    } catch (error) {
      await abandon(checkout);
      throw error;
    }
  }

  return {
    async lookAtVoucher(principal, code) {
      const owner: OwnerRow | null = principal ? await accounts.ownerOf(db, principal.userId) : null;
      return vouchers.look(db, { code, email: owner?.email ?? null }, await clock.now());
    },

    begin,

    async change(caller, change) {
      const current = governing(await listSubscriptions(db, caller.principal.userId));
      if (!current || current.provider === 'voucher' || current.term === 'once') throw nothingToChange();
      return begin(caller, { ...change, voucherCode: null, email: null, provider: current.provider });
    },
  };
}

/** Null where nobody takes money here, which does for a plan that a voucher makes free. */
function providerOf(payments: Payments, wanted: string | undefined): PaymentProvider | null {
  if (payments.names.length === 0) return null;
  const provider = payments.find(wanted ?? payments.names[0] ?? '');
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
 * The subscription that a new wish changes, where there is one with the same provider that goes on being paid.
 * @throws AppError `CONFLICT` where the wish is what its owner has.
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
