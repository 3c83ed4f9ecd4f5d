const minuteMs = 60_000;
const dayMs = 86_400_000;

/** How far the clocks of two machines may be apart. */
export const clockDifferenceMaxMs = 2_000;
/** How far a clock may step back, as time services make it, before it counts as wrong. */
export const clockToleranceMs = 2_000;
/** Everything that is sealed is opened once a week; later than this something keeps the check from ending. */
export const checkLateMs = 9 * dayMs;
/** Mail that fell due a moment ago is no trouble: the worker sends it with its next round. */
export const mailLateMs = 15 * minuteMs;

/** Whether a later time was seen before, so that nothing moves forward. */
export function isBehind(highestSeenMs: number | null, nowMs: number): boolean {
  return highestSeenMs !== null && nowMs < highestSeenMs - clockToleranceMs;
}

export function isCheckLate(checkedAtMs: number | null, nowMs: number): boolean {
  return checkedAtMs !== null && nowMs - checkedAtMs > checkLateMs;
}

/** Whether mail is in trouble for longer than the next round of the worker could mend. */
export function isMailLate(troubledSinceMs: number | null, nowMs: number): boolean {
  return troubledSinceMs !== null && nowMs - troubledSinceMs > mailLateMs;
}

/** A night's backup takes its time; more than this after the one before, one is missing. */
const backupLateMs = dayMs + 2 * 60 * minuteMs;

export function isBackupLate(madeAtMs: number | null, nowMs: number): boolean {
  return madeAtMs !== null && nowMs - madeAtMs > backupLateMs;
}
