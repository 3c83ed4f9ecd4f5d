import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { acceptClock, bringBackMarks } from './clock-acceptance.repository.ts';
import { clockAheadUntil } from './clock-watch.service.ts';

export type ClockAcceptance = {
  /** The latest time that the clock has shown, where it is behind that now and so nothing moves; else `null`. */
  aheadUntil(): Promise<Date | null>;
  /**
   * Takes the time of now for the right one: it was ahead before. What is noted for a time that has not come is noted for
   * now, so nothing waits for that time, and no wait becomes shorter. Gives where the clock had been; `null` where it is
   * not behind, and nothing has changed.
   */
  accept(): Promise<Date | null>;
};

/** Ends what a clock that was ahead once would stop until that time comes. */
export function createClockAcceptance({
  db,
  clock,
  audit,
}: {
  db: Database;
  clock: Clock;
  audit: Pick<Audit, 'record'>;
}): ClockAcceptance {
  const aheadUntil = () => clockAheadUntil({ db, clock });

  return {
    aheadUntil,
    async accept() {
      const before = await aheadUntil();
      if (!before) return null;
      await db.transaction(async (tx) => {
        const at = await clock.now(tx);
        await bringBackMarks(tx, at);
        await audit.record(tx, {
          userId: null,
          action: 'release.clock_accepted',
          resource: 'installation',
          details: { aheadUntil: before.toISOString() },
          at,
        });
        // Last, as everywhere: all share this row.
        await acceptClock(tx, at);
      });
      return before;
    },
  };
}
