import type { Billing } from '#server/features/billing/billing.service.ts';
import type { Deliveries } from '#server/features/delivery/delivery.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import {
  healthOf,
  lockHealth,
  readHealth,
  writeClock,
  writeHealth,
} from '#server/features/release-health/health.repository.ts';
import { type Health, nextHealth, outageGapMs } from '#server/features/release-health/health.rules.ts';
import { findNextStepAt } from '#server/features/release-state/release-owners.repository.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { Releases } from './release.service.ts';

export type TestClock = {
  db: Database;
  /** The database's clock with the test offset. */
  clock: Clock;
  releases: Pick<Releases, 'sweep' | 'beat'>;
  /** Addresses that were proposed, and have waited for their time. */
  newAddresses: { sendWaited(): Promise<number>; nextLookAt(): Promise<Date | null> };
  notifications: Pick<Notifications, 'dispatchDue' | 'nextDueAt' | 'mailTroubledSince'>;
  deliveries: Pick<Deliveries, 'sendDue' | 'nextDueAt'>;
  /** What the worker does once a day besides; left out where a test is not about it. */
  daily?: () => Promise<unknown>;
  /** Left out where nothing is sold. */
  billing?: Pick<Billing, 'workDue' | 'nextDueAt'>;
};

const hourMs = 3_600_000;
/** Hours in which nothing is due are passed over together, but never more than a day where something is done by the day. */
const skipByDayMs = dayMs;
const skipMaxMs = 30 * dayMs;
const passesMax = 100;

/**
 * Lives through `ms` as a running service would: hour by hour, heart beating, everything done in the hour it falls
 * due. Hours in which nothing is due are passed over together.
 */
export async function advanceTestClock({ ms, ...world }: TestClock & { ms: number }): Promise<void> {
  await world.releases.beat();
  let untilDueMs = await untilQuiet(world);
  let leftMs = ms;
  while (leftMs > 0) {
    const stepMs = Math.min(leftMs, stepFor(untilDueMs, world.daily ? skipByDayMs : skipMaxMs));
    await liveThrough(world, stepMs);
    await world.daily?.();
    untilDueMs = await untilQuiet(world);
    leftMs -= stepMs;
  }
}

/** Moves the clock and nothing else, as a broken clock or a long outage would. */
export async function jumpTestClock({ ms, db }: Pick<TestClock, 'db'> & { ms: number }): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await lockHealth(tx);
    await writeClock(tx, { offsetMs: row.clockOffsetMs + ms, livedMs: row.clockLivedMs });
  });
}

/** What time it is for the service, and how far that is from the real time. */
export async function showTestClock({
  db,
  clock,
}: Pick<TestClock, 'db' | 'clock'>): Promise<{ now: Date; offsetMs: number }> {
  const { clockOffsetMs } = await readHealth(db);
  return { now: await clock.now(), offsetMs: clockOffsetMs };
}

/** To the end of the hour in which something is due next. */
function stepFor(untilDueMs: number, maxMs: number): number {
  return Math.min(maxMs, Math.max(1, Math.ceil(untilDueMs / hourMs)) * hourMs);
}

/** How long it is until something is due; nothing is due for ever where it is infinite, and something now where it is 0. */
async function untilDue(world: TestClock, now: Date): Promise<number> {
  const { db, newAddresses, notifications, deliveries, billing } = world;
  const due = await Promise.all([
    findNextStepAt(db),
    notifications.nextDueAt(),
    deliveries.nextDueAt(now),
    billing?.nextDueAt() ?? null,
  ]);
  const untilMs = (at: Date | null) => Math.max(0, at ? at.getTime() - now.getTime() : Number.POSITIVE_INFINITY);
  // Of a proposal that stands still something is due each hour for as long as it does; by the day is enough here.
  const untilLookMs = Math.max(skipByDayMs, untilMs(await newAddresses.nextLookAt()));
  return Math.min(...due.map(untilMs), untilLookMs);
}

/** The offset grows and so does what the monotonic clocks are told, in one row and one transaction. */
async function liveThrough({ db, clock, notifications }: TestClock, ms: number): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await lockHealth(tx);
    const fromMs = (await clock.now(tx)).getTime();
    const since = await notifications.mailTroubledSince(tx);
    const mailTroubledSinceMs = since?.getTime() ?? null;
    const beat = (before: Health, livedMs: number) =>
      nextHealth(before, { wallMs: fromMs + livedMs, jumpMs: 0, mailTroubledSinceMs });
    // The seconds since the last beat are counted apart: with them the first quarter of an hour would pass for an outage.
    let health = beat(healthOf(row), 0);
    for (let livedMs = 0; livedMs < ms; ) {
      livedMs = Math.min(ms, livedMs + outageGapMs);
      health = beat(health, livedMs);
    }
    await writeHealth(tx, health);
    await writeClock(tx, { offsetMs: row.clockOffsetMs + ms, livedMs: row.clockLivedMs + ms });
  });
}

/** Does all that is due, and what that leads to. Gives how long it is until something is due again. */
async function untilQuiet(world: TestClock): Promise<number> {
  const { clock, releases, newAddresses, notifications, deliveries, billing } = world;
  await newAddresses.sendWaited();
  await deliveries.sendDue(await clock.now());
  for (let pass = 0; pass < passesMax; pass += 1) {
    const now = await clock.now();
    const untilDueMs = await untilDue(world, now);
    if (untilDueMs > 0) return untilDueMs;
    const moved = (await releases.sweep()) + ((await billing?.workDue()) ?? 0);
    const done = moved + (await notifications.dispatchDue());
    if (done + (await deliveries.sendDue(now)) === 0) break;
  }
  return untilDue(world, await clock.now());
}
