import { longDate } from '#server/platform/mail/mail-day.ts';

/* Small words that the mails of a release have in common. */

const minuteMs = 60_000;

/** A count of people, of whom a release never needs more than three. */
export function numberWord(count: number): string {
  return ['no', 'one', 'two', 'three'][count] ?? String(count);
}

/** Place of a repeated event, as in "for the third time". */
export function ordinalWord(place: number): string {
  return (
    ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'][place - 1] ?? ordinal(place)
  );
}

function ordinal(place: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th' }[
    ordinalRules.select(place) as 'one' | 'two' | 'few' | 'other'
  ];
  return `${place}${ending}`;
}

const ordinalRules = new Intl.PluralRules('en-GB', { type: 'ordinal' });

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** "Priya", "Priya and Tom", "Priya, Tom and Ann". */
export function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** Moment from which something is possible: the first whole minute from then on, as a clock in London shows it. */
export function dayAndTimeFrom(at: Date): string {
  return dayAndTime(new Date(Math.ceil(at.getTime() / minuteMs) * minuteMs));
}

/** Moment of an event, in the minute that a clock in London showed. */
export function dayAndTime(at: Date): string {
  const minute = new Date(Math.floor(at.getTime() / minuteMs) * minuteMs);
  const time = minute.toLocaleTimeString('en-GB', { timeZone: 'Europe/London', hour: '2-digit', minute: '2-digit' });
  return `${time} (UK time) on ${longDate(minute)}`;
}
