import { type PlanName, plans } from '#shared/rules/plans.ts';
import { type Discount, discountedPence } from '#shared/rules/vouchers.ts';

/** Billing cycles. A plan that is sold once accepts either, and ignores it. */
export const billingCycles = ['monthly', 'annual'] as const;
export type BillingCycle = (typeof billingCycles)[number];

/** Terms of a purchase: by the month, by the year, or once. */
export const billingTerms = ['monthly', 'annual', 'once'] as const;
export type BillingTerm = (typeof billingTerms)[number];

/** Plans that cost something. */
export const paidPlanNames = ['essential', 'premium', 'lifetime'] as const satisfies readonly PlanName[];
export type PaidPlanName = (typeof paidPlanNames)[number];

/** Plans that are paid each month or year. */
export const recurringPlanNames = ['essential', 'premium'] as const satisfies readonly PlanName[];

export const currency = 'GBP';

/** Price of a plan in pence before any voucher, and the term that it pays for. */
export type Price = { term: BillingTerm; listPence: number };

/** Returns the catalogue price of a plan. Throws if the plan is not sold in this cycle. */
export function catalogPrice(plan: PaidPlanName, cycle: BillingCycle): Price {
  const { priceOncePence, priceMonthlyPence, priceAnnualPence } = plans[plan];
  if (priceOncePence !== null) return { term: 'once', listPence: priceOncePence };
  const listPence = cycle === 'monthly' ? priceMonthlyPence : priceAnnualPence;
  if (listPence === null) throw new Error(`The plan ${plan} is not sold ${cycle}.`);
  return { term: cycle, listPence };
}

/** Amount to pay in pence: the catalogue price less at most one voucher. */
export function payablePence(plan: PaidPlanName, cycle: BillingCycle, discount: Discount | null): number {
  const { listPence } = catalogPrice(plan, cycle);
  return discount ? discountedPence(listPence, discount) : listPence;
}

/** Pence in pounds, as requests send them in `finalPrice`: 499 is 4.99. */
export function poundsOf(pence: number): number {
  return pence / 100;
}

/** True if `finalPrice` is exactly this amount. Equal amounts give the same floating-point number, so no rounding is needed. */
export function isSamePrice(finalPrice: number, pence: number): boolean {
  return finalPrice === poundsOf(pence);
}
