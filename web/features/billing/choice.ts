import { type PlanName, plans } from '#shared/rules/plans.ts';
import {
  type BillingCycle,
  type BillingTerm,
  catalogPrice,
  type PaidPlanName,
  paidPlanNames,
  payablePence,
  recurringPlanNames,
} from '#shared/rules/prices.ts';
import type { Discount } from '#shared/rules/vouchers.ts';
import { money } from '#web/lib/format.ts';

/** Purchase as chosen on the page. */
export type Choice = { plan: PlanName; cycle: BillingCycle; discount: Discount | null };

export type ChoicePrice = { plan: PaidPlanName; term: BillingTerm; listPence: number; payablePence: number };

export function isPaidPlan(plan: PlanName): plan is PaidPlanName {
  return (paidPlanNames as readonly PlanName[]).includes(plan);
}

/** True if a plan is paid for again and again, so that one can be changed into another. */
export function isRecurringPlan(plan: PlanName): plan is (typeof recurringPlanNames)[number] {
  return (recurringPlanNames as readonly PlanName[]).includes(plan);
}

/** Price of a choice; null for the free plan. */
export function priceOfChoice({ plan, cycle, discount }: Choice): ChoicePrice | null {
  if (!isPaidPlan(plan)) return null;
  return { plan, ...catalogPrice(plan, cycle), payablePence: payablePence(plan, cycle, discount) };
}

const termWords: Record<BillingTerm, string> = { monthly: 'a month', annual: 'a year', once: 'once' };

/** `£4.99 a month`, `£299 once`. */
export function priceWords(pence: number, term: BillingTerm): string {
  return `${money(pence)} ${termWords[term]}`;
}

/** `Essential, by the month`; `Lifetime`. */
export function termTitle(plan: PlanName, term: BillingTerm): string {
  const { title } = plans[plan];
  if (term === 'once') return title;
  return `${title}, by the ${term === 'monthly' ? 'month' : 'year'}`;
}

/** Notice about an accepted voucher. */
export function voucherWords({ discountType, discountValue }: Discount): string {
  return discountType === 'free' ? 'This plan is now free!' : `${discountValue}% discount applied!`;
}
