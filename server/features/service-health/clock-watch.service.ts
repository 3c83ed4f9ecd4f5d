import { isClockBehind } from '#server/features/release-health/health.rules.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { Alerts } from './alerts.service.ts';
import { findHighestSeen } from './state.repository.ts';

/** A clock that is set back by less has caught up before anybody could do something. */
export const caughtUpSoonMs = 5 * 60_000;

type Looking = { db: Database; clock: Clock };

/** The latest time that the clock has shown, where it is behind that now and so nothing moves forward; else `null`. */
export async function clockAheadUntil({ db, clock }: Looking): Promise<Date | null> {
  const highest = await findHighestSeen(db);
  if (!highest) return null;
  return isClockBehind({ highestSeenMs: highest.getTime() }, (await clock.now()).getTime()) ? highest : null;
}

/** How a worker watches the clock: the operator is written to while it is behind a time that it has shown before. */
export function createClockWatch({ db, clock, alerts }: Looking & { alerts: Pick<Alerts, 'noteLook'> }) {
  return {
    /** To be called again and again, about once a minute. */
    async look(): Promise<void> {
      const until = await clockAheadUntil({ db, clock });
      const nowMs = (await clock.now()).getTime();
      const isTrouble = until !== null && until.getTime() - nowMs >= caughtUpSoonMs;
      await alerts.noteLook('clock', {
        troubledSinceMs: isTrouble ? nowMs : null,
        reason: until?.toISOString() ?? null,
      });
    },
  };
}
