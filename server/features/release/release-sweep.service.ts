import type { HealthKeeper } from '#server/features/release-health/health.service.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import {
  setNextStepAt,
  takeDueOwner,
  takeDueOwners,
} from '#server/features/release-state/release-owners.repository.ts';
import { BrokenPromise, type Process } from './release.process.ts';

/** How many owners one sweep looks at. */
export const sweepOwnersMax = 100;
/** How many are moved on in one transaction: none of them can do anything else meanwhile, so it is to be short. */
const ownersTogether = 50;
const backoffMinMs = 60_000;
const backoffMaxMs = 3_600_000;

/**
 * Visits owners whose next step is due, as many together as one transaction may hold. Where something fails for one,
 * all of them are visited again, each in a transaction of its own: what fails then is undone, written to the log
 * without any content, tried again later, and stops nobody else.
 */
export function createSweep(
  deps: Pick<ReleaseDependencies, 'db' | 'clock' | 'log'>,
  process: Process,
  health: HealthKeeper,
  tellForeseen: () => Promise<void>,
) {
  const { db, clock, log } = deps;
  const failures = new Map<string, number>();

  /** Gives whom it took, and whether their steps were written. */
  async function visitTogether(limit: number, now: Date): Promise<{ userIds: string[]; isDone: boolean }> {
    let userIds: string[] = [];
    try {
      await db.transaction(async (tx) => {
        userIds = await takeDueOwners(tx, now, limit);
        if (userIds.length > 0) await process.visit(tx, userIds, await clock.now(tx));
      });
      return { userIds, isDone: true };
    } catch (error) {
      // Nobody was taken, so there is nobody to visit alone: the database itself has failed.
      if (userIds.length === 0) throw error;
      return { userIds, isDone: false };
    }
  }

  async function visitAlone(userId: string, now: Date): Promise<boolean> {
    return db.transaction(async (tx) => {
      if (!(await takeDueOwner(tx, userId, now))) return false;
      await process.visit(tx, [userId], await clock.now(tx));
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

  /** Gives how many were visited. */
  async function visitEach(userIds: readonly string[], now: Date): Promise<number> {
    let visited = 0;
    for (const userId of userIds) {
      try {
        if (await visitAlone(userId, now)) visited += 1;
        failures.delete(userId);
      } catch (error) {
        await backOff(userId, now, error);
      }
    }
    return visited;
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
    for (let left = Math.min(limit, sweepOwnersMax); left > 0; ) {
      const asked = Math.min(left, ownersTogether);
      const { userIds, isDone } = await visitTogether(asked, now);
      visited += isDone ? userIds.length : await visitEach(userIds, now);
      for (const userId of isDone ? userIds : []) failures.delete(userId);
      if (userIds.length < asked) break;
      left -= asked;
    }
    if (visited > 0) await tellForeseen();
    return visited;
  };
}
