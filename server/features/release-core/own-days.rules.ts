import { healthyHourMs, type Release, type WaitingLetter, type World } from './model.rules.ts';

/* Letters with a day of their own */

/** Letters of a release that wait for their own day. */
export function waitingLettersOf(release: Release | null): WaitingLetter[] {
  return (release?.letters ?? []).filter((letter) => letter.state === 'later');
}

/** Letters of any release that leave on their day: those that their readers have not declined. */
export function comingLettersOf({ waitingLetters, release }: World): WaitingLetter[] {
  return [...waitingLetters, ...waitingLettersOf(release)].filter(({ isDeclined }) => !isDeclined);
}

/** Time at which the first waiting letter leaves. A day that falls into an outage moves to the first healthy hour. */
export function firstDayMs(world: World): number | null {
  const days = comingLettersOf(world).map(({ dueAtMs }) => dueAtMs);
  if (days.length === 0) return null;
  return Math.max(Math.min(...days), (world.stops.outageEndedMs ?? 0) + healthyHourMs);
}
