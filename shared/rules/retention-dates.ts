import { dayMs } from '#shared/rules/inactivity.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import {
  archiveNoticeDays,
  deliveredContentFreeMonths,
  deliveredContentPaidMonths,
  idleAccountYears,
  undeliveredAfterPaymentMonths,
} from '#shared/rules/retention.ts';

/** When what is kept for a time goes. Months and years are those of the calendar. */

const monthsPerYear = 12;

/** The same day and hour so many calendar months later (UTC), or the last day of a month that has no such day. */
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

/** Since when nothing has been paid; null if somebody pays, or never has. */
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
