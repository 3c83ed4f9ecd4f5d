import { type App, perApp } from '#server/app.ts';
import { takeReading } from '#server/features/release-health/health.ts';
import {
  setNextStepAt,
  takeDueOwner,
  takeDueOwners,
} from '#server/features/release-state/release-owners.repository.ts';
import { notifyOfForecast } from './breaker-forecast.ts';
import { BrokenPromise, visitOwners } from './release.ts';

/** Maximum of owners that one sweep visits. */
export const sweepOwnersMax = 100;
/** Maximum of owners in one transaction. It must be short, because it locks all of them. */
const ownersTogether = 50;
const backoffMinMs = 60_000;
const backoffMaxMs = 3_600_000;

/** Failures of each owner in a row. */
const failuresOf = perApp(() => new Map<string, number>());

/**
 * Visits owners whose next step is due, several in one transaction. If one fails, each of them is visited again in a
 * transaction of its own. A failure there is rolled back, logged without any content and tried again later, and stops
 * no other owner. Returns the number of visited owners: call it again while it is above zero.
 */
export async function sweepReleases(app: App, limit = sweepOwnersMax): Promise<number> {
  const { db, clock, log } = app;
  const now = await clock.now();
  const reading = await takeReading(app, db, now);
  if (reading.isClockBehind) {
    log.warn({}, 'The clock is behind a time it has shown before; no release moves on until it has caught up.');
    return 0;
  }

  const failures = failuresOf(app);
  let visited = 0;
  for (let left = Math.min(limit, sweepOwnersMax); left > 0; ) {
    const asked = Math.min(left, ownersTogether);
    const { userIds, isDone } = await visitTogether(app, asked, now);
    visited += isDone ? userIds.length : await visitEach(app, userIds, now);
    for (const userId of isDone ? userIds : []) failures.delete(userId);
    if (userIds.length < asked) break;
    left -= asked;
  }
  if (visited > 0) await notifyOfForecast(app);
  return visited;
}

/** Returns the locked owners, and whether their steps were written. */
async function visitTogether(app: App, limit: number, now: Date): Promise<{ userIds: string[]; isDone: boolean }> {
  let userIds: string[] = [];
  try {
    await app.db.transaction(async (tx) => {
      userIds = await takeDueOwners(tx, now, limit);
      if (userIds.length > 0) await visitOwners(app, { tx, at: await app.clock.now(tx) }, userIds);
    });
    return { userIds, isDone: true };
  } catch (error) {
    // Without a locked owner there is none to visit alone: the database itself has failed.
    if (userIds.length === 0) throw error;
    return { userIds, isDone: false };
  }
}

/** Returns the number of visited owners. */
async function visitEach(app: App, userIds: readonly string[], now: Date): Promise<number> {
  let visited = 0;
  for (const userId of userIds) {
    try {
      if (await visitAlone(app, userId, now)) visited += 1;
      failuresOf(app).delete(userId);
    } catch (error) {
      await backOff(app, userId, now, error);
    }
  }
  return visited;
}

function visitAlone(app: App, userId: string, now: Date): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    if (!(await takeDueOwner(tx, userId, now))) return false;
    await visitOwners(app, { tx, at: await app.clock.now(tx) }, [userId]);
    return true;
  });
}

async function backOff(app: App, userId: string, now: Date, error: unknown): Promise<void> {
  const failures = failuresOf(app);
  const count = (failures.get(userId) ?? 0) + 1;
  failures.set(userId, count);
  const waitMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(count - 1, 10));
  // Other messages may quote the values being written, so the log gets only their kind.
  const failure = error instanceof BrokenPromise ? error.message : error instanceof Error ? error.name : 'unknown';
  app.log.error({ owner: userId, failure, failures: count }, 'The release of an owner could not be moved on.');
  await setNextStepAt(app.db, userId, new Date(now.getTime() + waitMs));
}
