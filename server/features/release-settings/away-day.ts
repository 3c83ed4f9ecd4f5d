import { awayDaysMax, dayMs } from '#shared/rules/inactivity.ts';
import { londonDay } from '#shared/rules/london-day.ts';

/** Why nobody can be away until this day; null where they can. */
export function wrongAwayDay(day: string, nowMs: number): string | null {
  const daysAhead = (Date.parse(day) - Date.parse(londonDay(nowMs))) / dayMs;
  if (daysAhead < 1) return 'Choose a day that lies ahead.';
  return daysAhead > awayDaysMax ? `Choose a day within the next ${awayDaysMax} days.` : null;
}
