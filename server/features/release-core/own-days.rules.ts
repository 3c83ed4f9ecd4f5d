import { healthyHourMs, type Release, type WaitingLetter, type World } from './model.rules.ts';

/* Letters with a day of their own */

/** Those of a release that wait for theirs. */
export function waitingLettersOf(release: Release | null): WaitingLetter[] {
  return (release?.letters ?? []).filter((letter) => letter.state === 'later');
}

/** When the first of all that wait is to leave; a day that falls into an outage comes with the first healthy hour. */
export function firstDayMs({ waitingLetters, release, stops }: World): number | null {
  const days = [...waitingLetters, ...waitingLettersOf(release)].map(({ dueAtMs }) => dueAtMs);
  if (days.length === 0) return null;
  return Math.max(Math.min(...days), (stops.outageEndedMs ?? 0) + healthyHourMs);
}
