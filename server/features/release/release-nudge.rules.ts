import { dayMs, silenceSchedule } from '#shared/rules/inactivity.ts';

/** A nudge later than this is skipped. The next one follows. */
const nudgeFreshMs = dayMs / 2;

export type Nudged = {
  /** Start of the silence. */
  sinceMs: number;
  checkinIntervalDays: number;
  inactivityDays: number;
};

/**
 * Friendly question at an interval before the first reminder. It proves nothing. `sequence` is its number in this
 * silence if one is due now, else null. The next question or the first reminder is at `nextAtMs`.
 */
export function nudgeOf(
  { sinceMs, checkinIntervalDays, inactivityDays }: Nudged,
  now: number,
): { sequence: number | null; nextAtMs: number } {
  const intervalMs = checkinIntervalDays * dayMs;
  const schedule = silenceSchedule({ inactivityDays, releaseMethod: 'inactivity', answerDays: 0 });
  const firstReminderMs = sinceMs + schedule.firstReminderDay * dayMs;
  const sequence = Math.max(0, Math.floor((now - sinceMs) / intervalMs));
  // If the first reminder is due and can't be written, there is no nudge.
  const nextAtMs =
    firstReminderMs > now ? Math.min(firstReminderMs, sinceMs + (sequence + 1) * intervalMs) : Number.POSITIVE_INFINITY;
  const isFresh = sequence > 0 && now - sinceMs - sequence * intervalMs < nudgeFreshMs;
  // At most one message a day: so close to the first reminder, that one will do.
  const isTooLate = firstReminderMs - now < dayMs;
  return { sequence: isFresh && !isTooLate ? sequence : null, nextAtMs };
}
