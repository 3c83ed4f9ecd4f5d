import { dayMs } from '#shared/rules/inactivity.ts';

/**
 * A day that a mail names and that depends on when the mail leaves: so many days after that, and never before `notBeforeMs`.
 * A mail may wait through an outage; what it says about days is to be true when it is read.
 */
export type DayAfterSending = { notBeforeMs: number; daysAfterSending: number };

/** Stands for the day while the mail waits. The two characters are for private use (Unicode, plane 0), so no words hold them. */
const [opening, closing] = ['\uE000', '\uE001'];
const places = new RegExp(`${opening}(\\d{1,15})\\+(\\d{1,4})${closing}`, 'g');

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'Europe/London',
});

/** "4 May 2031", as a calendar in London shows it. A day that depends on the sending is filled in by `fillDays`. */
export function longDate(day: Date | DayAfterSending): string {
  if (day instanceof Date) return dateFormat.format(day);
  return `${opening}${day.notBeforeMs}+${Math.ceil(day.daysAfterSending)}${closing}`;
}

/** True if there is a day in these words that depends on the sending. */
export function namesDay(words: string): boolean {
  return words.includes(opening);
}

/** The words of a mail that leaves at `sentAt`, with every day in them. */
export function fillDays(words: string, sentAt: Date): string {
  return words.replace(places, (_, notBeforeMs: string, days: string) =>
    dateFormat.format(new Date(Math.max(Number(notBeforeMs), sentAt.getTime() + Number(days) * dayMs))),
  );
}
