import type { App } from '#server/app.ts';
import { mailTroubledSince } from '#server/features/notifications/mail-queue.ts';
import {
  healthOf,
  lockHealth,
  readHealth,
  writeClock,
  writeHealth,
} from '#server/features/release-health/health.repository.ts';
import { type Health, nextHealth, outageGapMs } from '#server/features/release-health/health.rules.ts';
import { recordHeartbeat } from '#server/features/release-health/health.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

type TestClock = {
  app: App;
  rounds: {
    tick(options: { daily: boolean }): Promise<unknown>;
    nextDueAt(now: Date): Promise<Date | null>;
  };
  /** False if a test needs no daily tasks. */
  hasDailyTasks?: boolean;
};

const hourMs = 3_600_000;
/** Longest skip of hours in which nothing is due, if there are daily tasks. */
const skipByDayMs = dayMs;
const skipMaxMs = 30 * dayMs;

/**
 * Simulates a running service for `ms`: hour by hour, with heartbeats, everything done in the hour in which it falls
 * due. Hours in which nothing is due are skipped together.
 */
export async function advanceTestClock({ ms, ...world }: TestClock & { ms: number }): Promise<void> {
  const { hasDailyTasks = true } = world;
  await recordHeartbeat(world.app);
  let untilDueMs = await doAllDue(world, { daily: false });
  let leftMs = ms;
  while (leftMs > 0) {
    const stepMs = Math.min(leftMs, stepFor(untilDueMs, hasDailyTasks ? skipByDayMs : skipMaxMs));
    await moveBy(world.app, stepMs);
    untilDueMs = await doAllDue(world, { daily: hasDailyTasks });
    leftMs -= stepMs;
  }
}

/** Moves the clock and nothing else, as a broken clock or a long outage would. */
export async function jumpTestClock({ ms, db }: { db: App['db']; ms: number }): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await lockHealth(tx);
    await writeClock(tx, { offsetMs: row.clockOffsetMs + ms, livedMs: row.clockLivedMs });
  });
}

/** Returns the service's time, and its offset from real time. */
export async function showTestClock({
  db,
  clock,
}: {
  db: App['db'];
  clock: App['clock'];
}): Promise<{ now: Date; offsetMs: number }> {
  const { clockOffsetMs } = await readHealth(db);
  return { now: await clock.now(), offsetMs: clockOffsetMs };
}

/** Returns the milliseconds to the end of the hour in which the next task is due. */
function stepFor(untilDueMs: number, maxMs: number): number {
  return Math.min(maxMs, Math.max(1, Math.ceil(untilDueMs / hourMs)) * hourMs);
}

/** Runs all due tasks and their consequences. Returns the milliseconds until the next one is due. */
async function doAllDue({ app, rounds }: TestClock, options: { daily: boolean }): Promise<number> {
  await rounds.tick(options);
  const now = await app.clock.now();
  const dueAt = await rounds.nextDueAt(now);
  return dueAt ? Math.max(0, dueAt.getTime() - now.getTime()) : Number.POSITIVE_INFINITY;
}

/** Moves the offset and the monotonic clocks together, in one row and one transaction. */
async function moveBy(app: App, ms: number): Promise<void> {
  await app.db.transaction(async (tx) => {
    const row = await lockHealth(tx);
    const fromMs = (await app.clock.now(tx)).getTime();
    const since = await mailTroubledSince(app, tx);
    const mailTroubledSinceMs = since?.getTime() ?? null;
    const beat = (before: Health, livedMs: number) =>
      nextHealth(before, { wallMs: fromMs + livedMs, jumpMs: 0, mailTroubledSinceMs });
    // The seconds since the last beat are counted apart. Otherwise the first quarter of an hour would look like an outage.
    let health = beat(healthOf(row), 0);
    for (let livedMs = 0; livedMs < ms; ) {
      livedMs = Math.min(ms, livedMs + outageGapMs);
      health = beat(health, livedMs);
    }
    await writeHealth(tx, health);
    await writeClock(tx, { offsetMs: row.clockOffsetMs + ms, livedMs: row.clockLivedMs + ms });
  });
}
