const dayMs = 86_400_000;
const timeZone = 'Europe/London';

const longFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone });
const shortFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone });
const dayMonthFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone });
const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: 'numeric', minute: '2-digit', timeZone });
const partsFormat = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: '2-digit', year: 'numeric', timeZone });

/** A moment as the service sends it (ISO 8601), as milliseconds, or as a date. */
export type Moment = string | number | Date;

/** `20 November 2026`, as the calendar in London has it. */
export function longDate(moment: Moment): string {
  return longFormat.format(new Date(moment));
}

/** `20 Nov 2026`. */
export function shortDate(moment: Moment): string {
  // Some engines write "Sept"; the product says "Sep" everywhere, so that columns line up.
  return shortFormat.format(new Date(moment)).replace('Sept', 'Sep');
}

/** `20 November`, if the context shows the year. */
export function dayAndMonth(moment: Moment): string {
  return dayMonthFormat.format(new Date(moment));
}

/** `20 November 2026 at 14:05`. */
export function dateAndTime(moment: Moment): string {
  return `${longDate(moment)} at ${timeFormat.format(new Date(moment))}`;
}

/** `2026-11-20`, for the `datetime` attribute of `<time>`. */
export function isoDay(moment: Moment): string {
  const [day, month, year] = partsFormat.format(new Date(moment)).split('/');
  return `${year}-${month}-${day}`;
}

/** Whole 24-hour days that have passed since a moment; never less than 0. */
export function daysSince(moment: Moment, nowMs = Date.now()): number {
  return Math.max(0, Math.floor((nowMs - new Date(moment).getTime()) / dayMs));
}

/** Age of a message in a list: Today, Yesterday, days under 7, weeks under 30, then months. */
export function relativeAge(moment: Moment, nowMs = Date.now()): string {
  const days = daysSince(moment, nowMs);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return `${days} days ago`;
  if (days < 30) return `${counted(Math.floor(days / 7), 'week')} ago`;
  return `${counted(Math.floor(days / 30), 'month')} ago`;
}

/** `today`, `yesterday`, `4 days ago`: inside a sentence. */
export function daysAgo(moment: Moment, nowMs = Date.now()): string {
  const days = daysSince(moment, nowMs);
  if (days === 0) return 'today';
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

/** `today`, `tomorrow`, `in 10 days`: inside a sentence. A moment that has passed is `today`. */
export function inDays(moment: Moment, nowMs = Date.now()): string {
  const days = Math.max(0, Math.ceil((new Date(moment).getTime() - nowMs) / dayMs));
  if (days === 0) return 'today';
  return days === 1 ? 'tomorrow' : `in ${days} days`;
}

/** `1 message`, `3 messages`, `2,000 messages`. The plural is given where it is not made with an s. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? singular : plural}`;
}

/** Pence as pounds: `£0`, `£4.99`, `£299`. */
export function money(pence: number): string {
  const pounds = pence / 100;
  const digits = Number.isInteger(pounds) ? 0 : 2;
  return pounds.toLocaleString('en-GB', {
    style: 'currency',
    currency: 'GBP',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

const cardBrands: Record<string, string> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** The brand of a card as people write it: `visa` is Visa. */
export function cardBrand(brand: string): string {
  return cardBrands[brand.toLowerCase()] ?? brand.charAt(0).toUpperCase() + brand.slice(1);
}

/** `3:07`. */
export function elapsedTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
