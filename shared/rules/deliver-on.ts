import { londonDay } from './london-day.ts';

/**
 * Day of delivery: `null` with the release, a day (`"2031-05-04"`), or calendar months after the day of the release.
 * A past day means immediately.
 */
export type DeliverOn = string | { months: number } | null;

export const deliverMonthsMin = 1;
export const deliverMonthsMax = 1_200;
/** A day of its own begins at this hour, in London. */
const deliveryHour = 8;

const hourMs = 3_600_000;
const hourForm = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: 'Europe/London' });

/**
 * Time when a letter leaves if its release began at `releasedMs`, in milliseconds by the clock; null if it leaves
 * with the others.
 */
export function ownDayAt(deliverOn: DeliverOn, releasedMs: number): number | null {
  if (deliverOn === null) return null;
  const day = typeof deliverOn === 'string' ? deliverOn : monthsAfter(londonDay(releasedMs), deliverOn.months);
  const utcMs = Date.parse(day) + deliveryHour * hourMs;
  // Clocks change at one o'clock in the morning, so at eight the whole day has one offset.
  const atMs = utcMs - (Number(hourForm.format(utcMs)) - deliveryHour) * hourMs;
  return atMs > releasedMs ? atMs : null;
}

/** Day after a number of calendar months, or the last day of a month that is too short. */
function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, lastOfMonth))).toISOString().slice(0, 10);
}
