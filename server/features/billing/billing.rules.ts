import type { BillingStatus } from '#shared/contract/billing.ts';
import { type PlanName, planNames, plans } from '#shared/rules/plans.ts';
import { type BillingTerm, currency, type PaidPlanName } from '#shared/rules/prices.ts';

/** Fields of a subscription that decide its owner's plan. */
export type Standing = {
  id: string;
  plan: PaidPlanName;
  term: BillingTerm;
  status: 'active' | 'past_due' | 'cancelled' | 'lapsed';
  createdAt: { getTime(): number };
};

/** True if the subscription gives its owner the plan now. */
export function isLive({ status }: Pick<Standing, 'status'>): boolean {
  return status === 'active' || status === 'past_due';
}

type Charge = Pick<Standing, 'status' | 'term'> & {
  provider: string;
  cancelAtPeriodEnd: boolean;
  nextStepAt: { getTime(): number } | null;
};

/**
 * True if a provider keeps charging until we cancel there. A subscription that ended here counts until the provider has
 * ended it too. The sandbox moves no money.
 */
export function isCharged({ status, term, provider, cancelAtPeriodEnd, nextStepAt }: Charge): boolean {
  const asksForMoney = provider !== 'voucher' && provider !== 'sandbox' && term !== 'once';
  return asksForMoney && !cancelAtPeriodEnd && (isLive({ status }) || nextStepAt !== null);
}

/** The live subscription that an owner's plan comes from: the highest plan, and the newest among equals. */
export function governing<S extends Standing>(subscriptions: readonly S[]): S | null {
  return subscriptions.filter(isLive).reduce<S | null>((best, each) => {
    if (!best) return each;
    const above = rankOf(each.plan) - rankOf(best.plan);
    return above > 0 || (above === 0 && isNewer(each, best)) ? each : best;
  }, null);
}

/** True if another subscription of the same owner replaced this one, so its charges must stop. */
export function isSuperseded(subscription: Standing, others: readonly Standing[]): boolean {
  if (!isLive(subscription) || subscription.term === 'once') return false;
  return others.some(
    (other) => other.id !== subscription.id && isLive(other) && (other.term === 'once' || isNewer(other, subscription)),
  );
}

export function rankOf(plan: PlanName): number {
  return planNames.indexOf(plan);
}

function isNewer(a: Standing, b: Standing): boolean {
  const laterMs = a.createdAt.getTime() - b.createdAt.getTime();
  return laterMs > 0 || (laterMs === 0 && a.id > b.id);
}

/** Status of the subscription that an owner's plan comes from, or else of the newest one. */
export function statusOf(subscriptions: readonly Standing[]): BillingStatus {
  return (governing(subscriptions) ?? subscriptions[0])?.status ?? 'none';
}

export function receiptNumber(number: number): string {
  return `EK-${String(number).padStart(6, '0')}`;
}

const pounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency });

/** 499 as £4.99. */
export function inPounds(pence: number): string {
  return pounds.format(pence / 100);
}

const termWords = { monthly: 'by the month', annual: 'by the year', once: 'for good' } as const;

/** `Essential, by the month`. */
export function purchaseName(plan: PaidPlanName, term: BillingTerm): string {
  return `${plans[plan].title}, ${termWords[term]}`;
}
