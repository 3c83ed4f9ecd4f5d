import { dayMs, silenceSchedule } from '#shared/rules/inactivity.ts';

/** A nudge that could not go out within this of its day is left out: the next one will do. */
const nudgeFreshMs = dayMs / 2;

export type Nudged = {
  /** From when silence is counted. */
  sinceMs: number;
  checkinIntervalDays: number;
  inactivityDays: number;
};

/**
 * Before the first reminder: a friendly question every so many days, which proves nothing. `sequence` is its number in this
 * silence where one is due now, null where none is; the next one, or the first reminder, is at `nextAtMs`.
 */
export function nudgeOf(
  { sinceMs, checkinIntervalDays, inactivityDays }: Nudged,
  now: number,
): { sequence: number | null; nextAtMs: number } {
  const intervalMs = checkinIntervalDays * dayMs;
  const schedule = silenceSchedule({ inactivityDays, releaseMethod: 'inactivity', answerDays: 0 });
  const firstReminderMs = sinceMs + schedule.firstReminderDay * dayMs;
  const sequence = Math.max(0, Math.floor((now - sinceMs) / intervalMs));
  // Where the first reminder is due and can't be written there is nothing to nudge about.
  const nextAtMs =
    firstReminderMs > now ? Math.min(firstReminderMs, sinceMs + (sequence + 1) * intervalMs) : Number.POSITIVE_INFINITY;
  const isFresh = sequence > 0 && now - sinceMs - sequence * intervalMs < nudgeFreshMs;
  // At most one message a day: so close to the first reminder, that one will do.
  const isTooLate = firstReminderMs - now < dayMs;
  return { sequence: isFresh && !isTooLate ? sequence : null, nextAtMs };
}
