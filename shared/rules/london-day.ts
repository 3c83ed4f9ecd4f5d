const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Swedish writes days as ISO 8601 does. */
const dayForm = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: 'Europe/London' });

/** `2031-05-04`, as a calendar in London shows it. */
export function londonDay(at: Date | number): string {
  return dayForm.format(at);
}

/** The first moment of a day in London. Clocks change there at one o'clock in the morning, so midnight comes once a day. */
export function beginningOfLondonDay(day: string): Date {
  const utcMs = Date.parse(day);
  const summerMs = utcMs - hourMs;
  return new Date(londonDay(summerMs) === day ? summerMs : utcMs);
}

/** Number of days from one day to another. A day has no zone here, so no change of clocks makes it wrong. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / dayMs;
}

const wordsForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** `31 March 2027` for `2027-03-31`. */
export function dayWords(day: string): string {
  return wordsForm.format(Date.parse(day));
}
