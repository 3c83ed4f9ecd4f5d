import { dayMs } from '#shared/rules/inactivity.ts';

/** Heartbeats further apart than this are an outage: the time between them counts for nobody. */
export const outageGapMs = 15 * 60_000;
/** Mail that was due for this long while none was accepted makes the whole of that time an outage. */
export const mailOutageMs = dayMs;
/** How far a clock may step back, as time services make it, before we call it wrong. */
export const clockToleranceMs = 2_000;

/** What is kept between beats, for all workers together. */
export type Health = {
  healthyMs: number;
  lastBeatAtMs: number | null;
  highestSeenMs: number | null;
  mailTroubledSinceMs: number | null;
  /** When the newest outage was over, or was last seen to go on; null or left out: there was none. */
  outageEndedMs?: number | null;
};

export type Beat = {
  wallMs: number;
  mailTroubledSinceMs: number | null;
  /** How far the wall clock ran ahead of this process's monotonic clock since its own last beat; 0 at its first. */
  jumpMs: number;
  /** Until when the site did not answer at its public address, so that nobody could press a button; null or left out: it did. */
  siteDownUntilMs?: number | null;
};

/**
 * One heartbeat. Healthy time never grows by more than the wall clock, the monotonic clock or the longest gap that
 * still passes for a running service, and not at all while the site does not answer.
 */
export function nextHealth(health: Health, beat: Beat): Health {
  const seenMs = Math.max(health.highestSeenMs ?? beat.wallMs, beat.wallMs);
  // Time that a clock lives through twice counts once.
  const fromMs = Math.max(health.lastBeatAtMs ?? beat.wallMs, health.highestSeenMs ?? beat.wallMs);
  const reachableFromMs = Math.max(fromMs, beat.siteDownUntilMs ?? fromMs);
  const elapsedMs = beat.wallMs - reachableFromMs - Math.max(0, beat.jumpMs);
  const isOutage = beat.wallMs - fromMs > outageGapMs;
  const isMailOut = troubledMs(beat.mailTroubledSinceMs, beat.wallMs) >= mailOutageMs;
  const isBroken = isOutage || isMailOut || beat.jumpMs > clockToleranceMs || reachableFromMs > fromMs;
  const addedMs = isOutage || isMailOut ? 0 : Math.max(0, elapsedMs);

  return {
    healthyMs: Math.max(0, health.healthyMs + addedMs - (isMailOut ? countedInVainMs(health, beat) : 0)),
    lastBeatAtMs: beat.wallMs,
    highestSeenMs: seenMs,
    mailTroubledSinceMs: beat.mailTroubledSinceMs,
    outageEndedMs: isBroken ? beat.wallMs : (health.outageEndedMs ?? null),
  };
}

/**
 * Until mail has been out for a day nobody knows that it is out, and time was counted. It is taken back once, at the
 * beat that finds out.
 */
function countedInVainMs(health: Health, beat: Beat): number {
  if (health.lastBeatAtMs === null || beat.mailTroubledSinceMs === null) return 0;
  const wasKnown = troubledMs(health.mailTroubledSinceMs, health.lastBeatAtMs) >= mailOutageMs;
  return wasKnown ? 0 : Math.max(0, health.lastBeatAtMs - beat.mailTroubledSinceMs);
}

function troubledMs(sinceMs: number | null, wallMs: number): number {
  return sinceMs === null ? 0 : wallMs - sinceMs;
}

/** While the clock is behind a time it has shown before, nothing moves forward. */
export function isClockBehind({ highestSeenMs }: Pick<Health, 'highestSeenMs'>, wallMs: number): boolean {
  return highestSeenMs !== null && wallMs < highestSeenMs - clockToleranceMs;
}

/**
 * The most healthy time there can have been at `wallMs`. A window that begins between two beats begins here, so that
 * the beats' grain makes it longer and never shorter.
 */
export function healthyMsAtMost({ healthyMs, lastBeatAtMs }: Health, wallMs: number): number {
  const sinceBeatMs = lastBeatAtMs === null ? 0 : wallMs - lastBeatAtMs;
  return healthyMs + Math.min(outageGapMs, Math.max(0, sinceBeatMs));
}

/** Whether mail as a whole gets through, so that a refusal says something about the mailbox it came from. */
export function isMailHealthy(mailTroubledSinceMs: number | null, wallMs: number): boolean {
  return troubledMs(mailTroubledSinceMs, wallMs) < mailOutageMs;
}

/** How many owners may be moved to asking or releasing in one day before somebody has to look. */
export const breakerOwnersMin = 10;
export const breakerShare = 0.02;

export function breakerLimit(owners: number): number {
  return Math.max(breakerOwnersMin, Math.floor(owners * breakerShare));
}
