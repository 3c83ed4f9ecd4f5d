import type {
  Card,
  CheckoutPaid,
  PaymentFact,
  PaymentReceived,
} from '#server/platform/payments/payment-facts.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type BillingTerm, currency, type PaidPlanName } from '#shared/rules/prices.ts';

/**
 * State of a purchase, computed from our checkouts and from all facts that the provider sent. Facts are sorted here, so
 * their order of arrival and repeats make no difference.
 */

/** One checkout of a purchase: its first one, or a later change of price. */
export type Asked = {
  checkoutId: string;
  purpose: 'subscribe' | 'change';
  plan: PaidPlanName;
  term: BillingTerm;
  amountPence: number;
  /** The provider's names for the checkout and for the price. */
  reference: string | null;
  priceId: string | null;
};

/** A fact, and the id of the event that reported it. */
export type ReportedFact = { eventId: string; fact: PaymentFact };

export type Refusal = 'amount' | 'currency' | 'customer' | 'reference' | 'price';

/** A payment that was received. */
export type Received = {
  paymentId: string;
  plan: PaidPlanName;
  term: BillingTerm;
  amountPence: number;
  paidAtMs: number;
  refundedPence: number;
  status: 'paid' | 'partly_refunded' | 'refunded' | 'disputed' | 'lost';
  card: Card | null;
};

export type PurchaseStatus = 'active' | 'past_due' | 'cancelled' | 'lapsed';

/** A purchase after its first checkout was paid. */
export type Purchase = {
  plan: PaidPlanName;
  term: BillingTerm;
  pricePence: number;
  status: PurchaseStatus;
  customerId: string | null;
  subscriptionId: string | null;
  startedAtMs: number;
  periodEndMs: number | null;
  cancelAtPeriodEnd: boolean;
  pastDueSinceMs: number | null;
  endedAtMs: number | null;
  /** True if the provider has ended it too, so that nothing more is charged. */
  isOverAtProvider: boolean;
  card: Card | null;
  /** The checkout of the change that begins with the next payment; null if no change is agreed. */
  agreedId: string | null;
  payments: Received[];
};

/** `purchase` is null until its first checkout is paid at the asked price. A refused fact has no effect. */
export type PurchaseState = { purchase: Purchase | null; refused: { eventId: string; refusal: Refusal }[] };

/** Days that a plan continues after a failed payment, and the days on which its owner is emailed. */
export const graceDays = 7;
export const graceMailDays = [0, 3, 6] as const;

type Bought = Omit<Purchase, 'status' | 'endedAtMs' | 'agreedId' | 'payments'> & {
  /** The provider's name of the next payment's price; null if the provider reports none. */
  nextPriceId: string | null;
  payments: Map<string, Received>;
  /** Time at which the provider reported the end. */
  endedAtMs: number | null;
  paidBackAtMs: Map<string, number>;
};

export function purchaseStateOf(asked: readonly Asked[], heard: readonly ReportedFact[], nowMs: number): PurchaseState {
  const refused: PurchaseState['refused'] = [];
  const ordered = [...heard].sort(byTime);
  const paid = ordered.flatMap(({ eventId, fact }) => (fact.kind === 'checkout_paid' ? [{ eventId, fact }] : []));
  const first = asked.find(({ purpose }) => purpose === 'subscribe');
  const begun = first && paid.find(({ fact }) => refusalOfCheckout(first, fact) === null);
  if (!first || !begun) {
    for (const { eventId, fact } of paid) {
      refused.push({ eventId, refusal: (first && refusalOfCheckout(first, fact)) ?? 'reference' });
    }
    return { purchase: null, refused };
  }
  const bought = begin(first, begun.fact);
  const refunds: ReportedFact[] = [];
  for (const each of ordered) {
    const refusal = refusalOfCustomer(bought, each.fact) ?? take(bought, asked, each.fact);
    if (refusal) refused.push({ eventId: each.eventId, refusal });
    if (each.fact.kind === 'refunded' || each.fact.kind === 'disputed') refunds.push(each);
  }
  // A refund can only follow its payment, even if the clocks of two services disagree.
  for (const { fact } of refunds) giveBack(bought, fact);
  const standing = atTime(bought, nowMs);
  // An ended plan is not charged again, so no agreed change can begin.
  const agreedId = standing.endedAtMs === null ? agreedChange(bought, asked) : null;
  return { purchase: { ...standing, agreedId }, refused };
}

/** Order within one second, because a provider may report no finer time: first beginnings, last ends. */
const rank: Record<PaymentFact['kind'], number> = {
  checkout_expired: 0,
  checkout_paid: 1,
  payment_failed: 2,
  payment_received: 3,
  card_changed: 4,
  snapshot: 5,
  refunded: 6,
  disputed: 7,
};

function byTime(a: ReportedFact, b: ReportedFact): number {
  return (
    a.fact.atMs - b.fact.atMs ||
    rank[a.fact.kind] - rank[b.fact.kind] ||
    (a.eventId < b.eventId ? -1 : Number(a.eventId > b.eventId))
  );
}

function refusalOfCheckout(asked: Asked, fact: CheckoutPaid): Refusal | null {
  if (fact.currency !== currency) return 'currency';
  if (fact.amountPence !== asked.amountPence) return 'amount';
  return fact.reference === asked.reference ? null : 'reference';
}

/** Only facts of the customer who paid for the purchase count. */
function refusalOfCustomer({ customerId, subscriptionId }: Bought, fact: PaymentFact): Refusal | null {
  const isOther = (known: string | null, named: string | null) => known !== null && named !== null && known !== named;
  if (isOther(customerId, fact.customerId)) return 'customer';
  return isOther(subscriptionId, fact.subscriptionId) ? 'reference' : null;
}

function begin(asked: Asked, fact: CheckoutPaid): Bought {
  return {
    plan: asked.plan,
    term: asked.term,
    pricePence: asked.amountPence,
    customerId: fact.customerId,
    subscriptionId: fact.subscriptionId,
    startedAtMs: fact.atMs,
    periodEndMs: null,
    cancelAtPeriodEnd: false,
    pastDueSinceMs: null,
    endedAtMs: null,
    isOverAtProvider: asked.term === 'once',
    card: null,
    nextPriceId: null,
    payments: new Map(),
    paidBackAtMs: new Map(),
  };
}

function take(bought: Bought, asked: readonly Asked[], fact: PaymentFact): Refusal | null {
  switch (fact.kind) {
    case 'payment_received':
      return receive(bought, asked, fact);
    case 'payment_failed':
      bought.pastDueSinceMs ??= fact.atMs;
      return null;
    case 'card_changed':
      bought.card = fact.card;
      return null;
    case 'snapshot': {
      if (fact.hasEnded) {
        bought.endedAtMs ??= fact.atMs;
        bought.isOverAtProvider = true;
      }
      bought.cancelAtPeriodEnd = fact.cancelAtPeriodEnd;
      bought.periodEndMs = fact.periodEndMs ?? bought.periodEndMs;
      bought.nextPriceId = fact.nextPriceId ?? bought.nextPriceId;
      if (fact.priceId === null) return null;
      // The plan follows from the plan that we requested at this price, and never from the provider's name for it.
      const price = asked.findLast(({ priceId }) => priceId === fact.priceId);
      if (!price) return 'price';
      Object.assign(bought, { plan: price.plan, term: price.term, pricePence: price.amountPence });
      return null;
    }
    default:
      return null;
  }
}

function receive(bought: Bought, asked: readonly Asked[], fact: PaymentReceived): Refusal | null {
  if (fact.currency !== currency) return 'currency';
  const isAsked = fact.pricePence === bought.pricePence;
  const price = isAsked ? null : asked.findLast(({ amountPence }) => amountPence === fact.pricePence);
  if (fact.isRegular && !isAsked && !price) return 'amount';
  // Some providers change a price with the next payment. That payment is their first report of it.
  if (fact.isRegular && price) {
    Object.assign(bought, { plan: price.plan, term: price.term, pricePence: price.amountPence });
  }

  bought.pastDueSinceMs = null;
  bought.periodEndMs = fact.periodEndMs ?? periodPaidMs(bought.term, fact) ?? bought.periodEndMs;
  bought.card = fact.card ?? bought.card;
  const { paymentId, amountPence, atMs, card } = fact;
  if (amountPence <= 0 || bought.payments.has(paymentId)) return null;
  const { plan, term } = fact.isRegular ? bought : (price ?? bought);
  const money = { paymentId, plan, term, amountPence, paidAtMs: atMs, refundedPence: 0, card: card ?? bought.card };
  bought.payments.set(paymentId, { ...money, status: 'paid' });
  return null;
}

/** Longest possible month and year, in days. */
const periodDaysMax = { monthly: 31, annual: 366 } as const;

/**
 * End of the period that a whole payment pays for, if the provider reports none. PayPal reports none after a
 * cancellation.
 */
function periodPaidMs(term: BillingTerm, { isRegular, atMs }: PaymentReceived): number | null {
  return term === 'once' || !isRegular ? null : atMs + periodDaysMax[term] * dayMs;
}

function giveBack({ payments, paidBackAtMs }: Bought, fact: PaymentFact): void {
  const payment = 'paymentId' in fact ? payments.get(fact.paymentId) : undefined;
  if (!payment) return;
  if (fact.kind === 'refunded') {
    payment.refundedPence = Math.max(payment.refundedPence, Math.min(fact.refundedPence, payment.amountPence));
    if (payment.status === 'disputed' || payment.status === 'lost') return;
    payment.status = payment.refundedPence === payment.amountPence ? 'refunded' : 'partly_refunded';
  } else if (fact.kind === 'disputed') {
    const settled = payment.refundedPence > 0 ? 'partly_refunded' : 'paid';
    payment.status = fact.outcome === 'open' ? 'disputed' : fact.outcome === 'lost' ? 'lost' : settled;
    if (fact.outcome === 'lost') payment.refundedPence = payment.amountPence;
  }
  if (payment.refundedPence === payment.amountPence && !paidBackAtMs.has(payment.paymentId)) {
    paidBackAtMs.set(payment.paymentId, fact.atMs);
  }
}

/** Checkout of the agreed change. Null if no change is agreed, or its price is already in force. */
function agreedChange(bought: Bought, asked: readonly Asked[]): string | null {
  const { nextPriceId, plan, term, pricePence } = bought;
  const next = asked.findLast(({ priceId }) => nextPriceId !== null && priceId === nextPriceId);
  if (!next) return null;
  const isPresent = next.plan === plan && next.term === term && next.amountPence === pricePence;
  return isPresent ? null : next.checkoutId;
}

/** State at a time. The earliest of several ends counts. */
function atTime(bought: Bought, nowMs: number): Omit<Purchase, 'agreedId'> {
  const { payments, paidBackAtMs, nextPriceId: _, ...rest } = bought;
  const { cancelAtPeriodEnd, periodEndMs, pastDueSinceMs } = rest;
  const newest = [...payments.values()].reduce<Received | null>(
    (latest, payment) => (latest && latest.paidAtMs >= payment.paidAtMs ? latest : payment),
    null,
  );
  const until = (atMs: number | null | undefined) => (typeof atMs === 'number' ? Math.min(atMs, nowMs) : null);
  const ends: { atMs: number | null; status: 'cancelled' | 'lapsed' }[] = [
    { atMs: cancelAtPeriodEnd ? periodEndMs : null, status: 'cancelled' },
    { atMs: pastDueSinceMs === null ? null : pastDueSinceMs + graceDays * dayMs, status: 'lapsed' },
    // Reported facts count immediately, even if the provider's clock is ahead of ours.
    { atMs: until(newest && paidBackAtMs.get(newest.paymentId)), status: 'lapsed' },
    { atMs: until(rest.endedAtMs), status: pastDueSinceMs === null ? 'cancelled' : 'lapsed' },
  ];
  let ended: { atMs: number; status: 'cancelled' | 'lapsed' } | null = null;
  for (const { atMs, status } of ends) {
    if (atMs !== null && atMs <= nowMs && (!ended || atMs < ended.atMs)) ended = { atMs, status };
  }
  return {
    ...rest,
    status: ended?.status ?? (pastDueSinceMs === null ? 'active' : 'past_due'),
    endedAtMs: ended?.atMs ?? null,
    payments: [...payments.values()].sort((a, b) => a.paidAtMs - b.paidAtMs || (a.paymentId < b.paymentId ? -1 : 1)),
  };
}

/** Time after the end of a period without news, after which we ask the provider. */
const silenceMs = dayMs;

/** Next time at which the state changes without an event; null if it never does. */
export function nextStepAtMs(purchase: Purchase, nowMs: number): number | null {
  const { status, term, periodEndMs, cancelAtPeriodEnd, pastDueSinceMs, isOverAtProvider } = purchase;
  if (status === 'cancelled' || status === 'lapsed') return isOverAtProvider ? null : nowMs;
  if (term === 'once') return null;
  const steps: number[] = [];
  if (pastDueSinceMs !== null) steps.push(...[...graceMailDays, graceDays].map((day) => pastDueSinceMs + day * dayMs));
  if (periodEndMs !== null) steps.push(periodEndMs, ...(cancelAtPeriodEnd ? [] : [periodEndMs + silenceMs]));
  const later = steps.filter((atMs) => atMs > nowMs);
  return later.length > 0 ? Math.min(...later) : nowMs + silenceMs;
}

/**
 * The newest grace day whose mail is due; null if no payment is missing. Days that passed during an outage are skipped.
 */
export function graceMailDue({ status, pastDueSinceMs }: Purchase, nowMs: number): number | null {
  if (status !== 'past_due' || pastDueSinceMs === null) return null;
  return graceMailDays.findLast((day) => nowMs >= pastDueSinceMs + day * dayMs) ?? null;
}
