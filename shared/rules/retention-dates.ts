import { dayMs } from '#shared/rules/inactivity.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import {
  archiveNoticeDays,
  deliveredContentFreeMonths,
  deliveredContentPaidMonths,
  idleAccountYears,
  undeliveredAfterPaymentMonths,
} from '#shared/rules/retention.ts';

/** Dates at which retained data is deleted, counted in calendar months and years. */

const monthsPerYear = 12;

/** Time after a number of calendar months (UTC), or the last day of a month that is too short. */
export function monthsAfter(date: Date, months: number): Date {
  const moved = new Date(date);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(date.getUTCDate(), lastDay));
  return moved;
}

export function yearsAfter(date: Date, years: number): Date {
  return monthsAfter(date, years * monthsPerYear);
}

type Paying = { plan: PlanName; subscriptionEnd: Date | null };

/** Time of the last paid moment; null if the owner pays now, or never paid. */
export function lapsedSince({ plan, subscriptionEnd }: Paying, now: Date): Date | null {
  return plan === 'free' && subscriptionEnd !== null && subscriptionEnd <= now ? subscriptionEnd : null;
}

/**
 * Time when a delivered letter goes. A plan that was paid for when it was delivered counts, whatever became of it
 * since.
 */
export function deliveredGoesAt(deliveredAt: Date, { plan, subscriptionEnd }: Paying): Date {
  const wasPaid = plan !== 'free' || (subscriptionEnd !== null && subscriptionEnd >= deliveredAt);
  return monthsAfter(deliveredAt, wasPaid ? deliveredContentPaidMonths : deliveredContentFreeMonths);
}

export function undeliveredGoesAt(lapsedAt: Date): Date {
  return monthsAfter(lapsedAt, undeliveredAfterPaymentMonths);
}

/** The whole time of silence first, then the notice. */
export function idleGoesAt(lastActivityAt: Date): Date {
  return new Date(yearsAfter(lastActivityAt, idleAccountYears).getTime() + archiveNoticeDays * dayMs);
}
