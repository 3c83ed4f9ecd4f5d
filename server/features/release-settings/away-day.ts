import { awayDaysMax } from '#shared/rules/inactivity.ts';
import { daysBetween, londonDay } from '#shared/rules/london-day.ts';

/** Reason why an owner can't be away until this day. Null if the day is allowed. */
export function wrongAwayDay(day: string, nowMs: number): string | null {
  const daysAhead = daysBetween(londonDay(nowMs), day);
  if (daysAhead < 1) return 'Choose a day that lies ahead.';
  return daysAhead > awayDaysMax ? `Choose a day within the next ${awayDaysMax} days.` : null;
}
