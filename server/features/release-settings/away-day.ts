import { awayDaysMax, dayMs } from '#shared/rules/inactivity.ts';
import { londonDay } from '#shared/rules/london-day.ts';

/** Reason why an owner can't be away until this day. Null if the day is allowed. */
export function wrongAwayDay(day: string, nowMs: number): string | null {
  const daysAhead = (Date.parse(day) - Date.parse(londonDay(nowMs))) / dayMs;
  if (daysAhead < 1) return 'Choose a day that lies ahead.';
  return daysAhead > awayDaysMax ? `Choose a day within the next ${awayDaysMax} days.` : null;
}
