import type { DeliverOn } from '#shared/rules/deliver-on.ts';

/* Days of letters, by the calendar and by hand: no function of the product is asked. */

const hour = 3_600_000;
const day = 24 * hour;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Day that this random number stands for. */
export function chosenDay(drawn: number, startMs: number): DeliverOn {
  if (drawn === 0) return null;
  return drawn > 0 ? dateOf(startMs + drawn * day) : { months: -drawn };
}

/** Time when a letter is to leave whose release began at this moment, in milliseconds; null if it goes at once. */
export function dueAt(chosen: DeliverOn, releasedMs: number): number | null {
  if (chosen === null) return null;
  const date = typeof chosen === 'string' ? chosen : monthsLater(londonDate(releasedMs), chosen.months);
  const morning = Date.parse(`${date}T08:00:00Z`) - (isSummer(date) ? hour : 0);
  return morning > releasedMs ? morning : null;
}

/** The date in London at this moment; the night in which clocks change begins and ends at one o'clock in UTC. */
function londonDate(ms: number): string {
  const today = dateOf(ms);
  const isSummerNow = isSummer(today)
    ? ms >= changeAt(today) || !isChangeDay(today)
    : isChangeDay(today) && ms < changeAt(today);
  return dateOf(ms + (isSummerNow ? hour : 0));
}

const changeAt = (date: string) => Date.parse(`${date}T01:00:00Z`);
const isChangeDay = (date: string) => [lastSunday(date, 3), lastSunday(date, 10)].includes(date);

/** True if it is summer time in London at eight in the morning of this date. */
function isSummer(date: string): boolean {
  return date >= lastSunday(date, 3) && date < lastSunday(date, 10);
}

/** Last Sunday of March or October, which have 31 days, in the year of this date. */
function lastSunday(date: string, month: 3 | 10): string {
  const last = Date.parse(`${date.slice(0, 4)}-${month === 3 ? '03' : '10'}-31T00:00:00Z`);
  return dateOf(last - new Date(last).getUTCDay() * day);
}

/** Date after a number of months, or the last day of a month that is too short. */
function monthsLater(date: string, months: number): string {
  const [year = 0, month = 0, dayOfMonth = 0] = date.split('-').map(Number);
  const index = year * 12 + month - 1 + months;
  const [wantedYear, wantedMonth] = [Math.floor(index / 12), (index % 12) + 1];
  const isLeap = (wantedYear % 4 === 0 && wantedYear % 100 !== 0) || wantedYear % 400 === 0;
  const length = wantedMonth === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(wantedMonth) ? 30 : 31;
  const two = (number: number) => String(number).padStart(2, '0');
  return `${wantedYear}-${two(wantedMonth)}-${two(Math.min(dayOfMonth, length))}`;
}
