import { healthyHourMs, type Release, type WaitingLetter, type World } from './model.rules.ts';

/* Letters with a day of their own */

/** Letters of a release that wait for their own day. */
export function waitingLettersOf(release: Release | null): WaitingLetter[] {
  return (release?.letters ?? []).filter((letter) => letter.state === 'later');
}

/** Time at which the first waiting letter leaves. A day that falls into an outage moves to the first healthy hour. */
export function firstDayMs({ waitingLetters, release, stops }: World): number | null {
  const days = [...waitingLetters, ...waitingLettersOf(release)].map(({ dueAtMs }) => dueAtMs);
  if (days.length === 0) return null;
  return Math.max(Math.min(...days), (stops.outageEndedMs ?? 0) + healthyHourMs);
}
