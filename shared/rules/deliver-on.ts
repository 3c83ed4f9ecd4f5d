import { londonDay } from './london-day.ts';

/**
 * When a letter goes: `null` with the release, on a day (`"2031-05-04"`), or so many calendar months after the day of the
 * release. A day that is past means at once.
 */
export type DeliverOn = string | { months: number } | null;

export const deliverMonthsMin = 1;
export const deliverMonthsMax = 1_200;
/** A day of its own begins at this hour, in London. */
const deliveryHour = 8;

const hourMs = 3_600_000;
const hourForm = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: 'Europe/London' });

/**
 * Time when a letter of a release that began at `releasedMs` is to leave, in milliseconds by the clock; null if it
 * goes with the others.
 */
export function ownDayAt(deliverOn: DeliverOn, releasedMs: number): number | null {
  if (deliverOn === null) return null;
  const day = typeof deliverOn === 'string' ? deliverOn : monthsAfter(londonDay(releasedMs), deliverOn.months);
  const utcMs = Date.parse(day) + deliveryHour * hourMs;
  // Clocks change at one o'clock in the morning, so at eight the whole day has one offset.
  const atMs = utcMs - (Number(hourForm.format(utcMs)) - deliveryHour) * hourMs;
  return atMs > releasedMs ? atMs : null;
}

/** The same day so many calendar months later, or the last one of a month that has no such day. */
function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, lastOfMonth))).toISOString().slice(0, 10);
}
