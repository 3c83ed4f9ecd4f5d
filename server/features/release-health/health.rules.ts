import { dayMs } from '#shared/rules/inactivity.ts';

/** Longest gap between heartbeats that is no outage. A longer gap is not healthy time. */
export const outageGapMs = 15 * 60_000;
/** Mail that was due for this long while none was accepted makes the whole of that time an outage. */
export const mailOutageMs = dayMs;
/** Largest step back of a clock that counts as correct, since time services cause such steps. */
export const clockToleranceMs = 2_000;

/** State between heartbeats, shared by all workers. */
export type Health = {
  healthyMs: number;
  lastBeatAtMs: number | null;
  highestSeenMs: number | null;
  mailTroubledSinceMs: number | null;
  /** End of the newest outage, or its latest beat so far. Null or unset if there was none. */
  outageEndedMs?: number | null;
};

export type Beat = {
  wallMs: number;
  mailTroubledSinceMs: number | null;
  /** Lead of the wall clock over this process's monotonic clock since its own last beat. 0 at its first beat. */
  jumpMs: number;
  /**
   * End of a time in which the site did not answer at its public address, so that no owner could press a button. Null
   * or unset if it answered.
   */
  siteDownUntilMs?: number | null;
};

/**
 * Applies one heartbeat. Healthy time grows at most by the wall clock, the monotonic clock and the longest gap of a
 * running service. It does not grow while the site does not answer.
 */
export function nextHealth(health: Health, beat: Beat): Health {
  const seenMs = Math.max(health.highestSeenMs ?? beat.wallMs, beat.wallMs);
  // If the clock was set back, the time that it repeats does not count again.
  const fromMs = Math.max(health.lastBeatAtMs ?? beat.wallMs, health.highestSeenMs ?? beat.wallMs);
  const reachableFromMs = Math.max(fromMs, beat.siteDownUntilMs ?? fromMs);
  const elapsedMs = beat.wallMs - reachableFromMs - Math.max(0, beat.jumpMs);
  const isOutage = beat.wallMs - fromMs > outageGapMs;
  const isMailOut = troubledMs(beat.mailTroubledSinceMs, beat.wallMs) >= mailOutageMs;
  const isBroken = isOutage || isMailOut || beat.jumpMs > clockToleranceMs || reachableFromMs > fromMs;
  const addedMs = isOutage || isMailOut ? 0 : Math.max(0, elapsedMs);

  return {
    healthyMs: Math.max(0, health.healthyMs + addedMs - (isMailOut ? countedDuringOutageMs(health, beat) : 0)),
    lastBeatAtMs: beat.wallMs,
    highestSeenMs: seenMs,
    mailTroubledSinceMs: beat.mailTroubledSinceMs,
    outageEndedMs: isBroken ? beat.wallMs : (health.outageEndedMs ?? null),
  };
}

/**
 * Healthy time to subtract because mail was out meanwhile. A mail outage is known only after a day, so the beat that
 * detects it subtracts that day once.
 */
function countedDuringOutageMs(health: Health, beat: Beat): number {
  if (health.lastBeatAtMs === null || beat.mailTroubledSinceMs === null) return 0;
  const wasKnown = troubledMs(health.mailTroubledSinceMs, health.lastBeatAtMs) >= mailOutageMs;
  return wasKnown ? 0 : Math.max(0, health.lastBeatAtMs - beat.mailTroubledSinceMs);
}

function troubledMs(sinceMs: number | null, wallMs: number): number {
  return sinceMs === null ? 0 : wallMs - sinceMs;
}

/** True if more time has passed since the last beat than in a running service. */
export function isBeatOverdue({ lastBeatAtMs }: Pick<Health, 'lastBeatAtMs'>, wallMs: number): boolean {
  return lastBeatAtMs !== null && wallMs - lastBeatAtMs > outageGapMs;
}

/** True if the clock is behind a time that it has shown before. No step moves forward then. */
export function isClockBehind({ highestSeenMs }: Pick<Health, 'highestSeenMs'>, wallMs: number): boolean {
  return highestSeenMs !== null && wallMs < highestSeenMs - clockToleranceMs;
}

/**
 * Returns the most healthy time possible at `wallMs`. A window that begins between two beats begins at this value, so
 * the time between beats can only make it longer.
 */
export function healthyMsAtMost({ healthyMs, lastBeatAtMs }: Health, wallMs: number): number {
  const sinceBeatMs = lastBeatAtMs === null ? 0 : wallMs - lastBeatAtMs;
  return healthyMs + Math.min(outageGapMs, Math.max(0, sinceBeatMs));
}

/** True if mail in general is accepted, so that a refusal says something about its mailbox. */
export function isMailHealthy(mailTroubledSinceMs: number | null, wallMs: number): boolean {
  return troubledMs(mailTroubledSinceMs, wallMs) < mailOutageMs;
}

/** Number of owners whom silence may move in one day, or `breakerShare` of all owners if that is more. */
export const breakerOwnersMin = 10;
export const breakerShare = 0.02;

export function breakerLimit(owners: number): number {
  return Math.max(breakerOwnersMin, Math.floor(owners * breakerShare));
}
