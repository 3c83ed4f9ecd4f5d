import { awayDaysMax, dayMs } from '#shared/rules/inactivity.ts';

const hourMs = 3_600_000;
/** Swedish writes days as ISO 8601 does. */
const dayForm = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: 'Europe/London' });

/** `2027-02-01`, as a calendar in London shows it. */
export function dayOf(atMs: number): string {
  return dayForm.format(atMs);
}

/** The first moment of a day in London. Clocks change there at one o'clock in the morning, so midnight comes once a day. */
export function beginningOf(day: string): Date {
  const utcMs = Date.parse(day);
  const summerMs = utcMs - hourMs;
  return new Date(dayOf(summerMs) === day ? summerMs : utcMs);
}

/** Why nobody can be away until this day; null where they can. */
export function wrongAwayDay(day: string, nowMs: number): string | null {
  const daysAhead = (Date.parse(day) - Date.parse(dayOf(nowMs))) / dayMs;
  if (daysAhead < 1) return 'Choose a day that lies ahead.';
  return daysAhead > awayDaysMax ? `Choose a day within the next ${awayDaysMax} days.` : null;
}
