const hourMs = 3_600_000;
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
