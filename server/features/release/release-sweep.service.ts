import type { HealthKeeper } from './health.service.ts';
import { findDueOwners, setNextStepAt, takeDueOwner } from './release.repository.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import { BrokenPromise, type Engine } from './release-engine.service.ts';

/** How many owners one sweep looks at. */
export const sweepOwnersMax = 100;
const backoffMinMs = 60_000;
const backoffMaxMs = 3_600_000;

/**
 * Visits owners whose next step is due, each in a transaction of its own. What fails for one is undone, written to
 * the log without any content, tried again later, and stops nobody else.
 */
export function createSweep(
  deps: Pick<ReleaseDependencies, 'db' | 'clock' | 'log'>,
  engine: Engine,
  health: HealthKeeper,
) {
  const { db, clock, log } = deps;
  const failures = new Map<string, number>();

  async function visit(userId: string, now: Date): Promise<boolean> {
    return db.transaction(async (tx) => {
      if (!(await takeDueOwner(tx, userId, now))) return false;
      await engine.moveOn(tx, userId, await clock.now(tx));
      return true;
    });
  }

  async function backOff(userId: string, now: Date, error: unknown): Promise<void> {
    const count = (failures.get(userId) ?? 0) + 1;
    failures.set(userId, count);
    const waitMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(count - 1, 10));
    // Other messages may quote what was being written, so of those the log has the kind only.
    const failure = error instanceof BrokenPromise ? error.message : error instanceof Error ? error.name : 'unknown';
    log.error({ owner: userId, failure, failures: count }, 'The release of an owner could not be moved on.');
    await setNextStepAt(db, userId, new Date(now.getTime() + waitMs));
  }

  /** @returns how many owners were visited; call it again while it is above zero. */
  return async function sweep(limit = sweepOwnersMax): Promise<number> {
    const now = await clock.now();
    const reading = await health.read(db, now);
    if (reading.isClockBehind) {
      log.warn({}, 'The clock is behind a time it has shown before; no release moves on until it has caught up.');
      return 0;
    }

    let visited = 0;
    for (const userId of await findDueOwners(db, now, Math.min(limit, sweepOwnersMax))) {
      try {
        if (await visit(userId, now)) visited += 1;
        failures.delete(userId);
      } catch (error) {
        await backOff(userId, now, error);
      }
    }
    return visited;
  };
}
