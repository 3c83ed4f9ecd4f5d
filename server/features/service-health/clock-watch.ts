import type { App } from '#server/app.ts';
import { isClockBehind } from '#server/features/release-health/health.rules.ts';
import { noteLook } from './alerts.ts';
import { findHighestSeen } from './state.repository.ts';

/** A clock that was set back by less catches up before a person could act. */
export const caughtUpSoonMs = 5 * 60_000;

/** Returns the latest time that the clock has shown, if the clock is behind it and nothing moves forward. Otherwise null. */
export async function clockAheadUntil({ db, clock }: App): Promise<Date | null> {
  const highest = await findHighestSeen(db);
  if (!highest) return null;
  return isClockBehind({ highestSeenMs: highest.getTime() }, (await clock.now()).getTime()) ? highest : null;
}

/** Checks the clock: the operator is emailed while it is behind a time that it has shown before. */
export async function watchClock(app: App): Promise<void> {
  const until = await clockAheadUntil(app);
  const nowMs = (await app.clock.now()).getTime();
  const isTrouble = until !== null && until.getTime() - nowMs >= caughtUpSoonMs;
  await noteLook(app, 'clock', {
    troubledSinceMs: isTrouble ? nowMs : null,
    reason: until?.toISOString() ?? null,
  });
}
