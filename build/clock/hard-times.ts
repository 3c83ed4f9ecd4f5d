/** Hours and days at which a test that depends on the clock has failed, or would. All of them are in UTC. */
const hoursOfToday = ['12:00', '22:30', '23:58', '00:02', '02:30'] as const;
const days = [
  // Summer time begins and ends in London at 01:00.
  '2027-03-28T00:30:00Z',
  '2027-10-31T00:30:00Z',
  '2028-02-29T12:00:00Z',
] as const;

/** Every time at which the tests have to pass, from the day of `now`. */
export function hardTimes(now: Date): Date[] {
  const today = now.toISOString().slice(0, 10);
  const lastEvening = `${today.slice(0, 4)}-12-31T23:59:00Z`;
  return [...hoursOfToday.map((hour) => `${today}T${hour}:00Z`), ...days, lastEvening].map((time) => new Date(time));
}

/** One of `hardTimes`, chosen by the hash of a commit (hexadecimal), so that a failure can be run again. */
export function timeOfCommit(hash: string, now: Date): Date {
  const times = hardTimes(now);
  return times[Number.parseInt(hash.slice(0, 8), 16) % times.length] ?? new Date(Number.NaN);
}
