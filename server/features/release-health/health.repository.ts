import { eq, sql } from 'drizzle-orm';
import type { Mark } from '#server/features/release-core/model.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import type { Health } from './health.rules.ts';

export type HealthRow = typeof serviceHealth.$inferSelect;

const theRow = eq(serviceHealth.id, 1);

/** Returns the installation's only row, which a migration has made. */
export async function readHealth(executor: Executor): Promise<HealthRow> {
  const [row] = await executor.select().from(serviceHealth).where(theRow);
  return existing(row);
}

/** Locks the row and returns it. Call it after an owner's row is locked, never before. */
export async function lockHealth(tx: Executor): Promise<HealthRow> {
  const [row] = await tx.select().from(serviceHealth).where(theRow).for('update');
  return existing(row);
}

function existing(row: HealthRow | undefined): HealthRow {
  if (!row) throw new Error('The row of service_health is missing: run everkept migrate.');
  return row;
}

export function healthOf(row: HealthRow): Health {
  return {
    healthyMs: row.healthyMs,
    lastBeatAtMs: row.lastBeatAt?.getTime() ?? null,
    highestSeenMs: row.highestSeenAt?.getTime() ?? null,
    mailTroubledSinceMs: row.mailTroubledSince?.getTime() ?? null,
    outageEndedMs: row.outageEndedAt?.getTime() ?? null,
  };
}

export async function writeHealth(tx: Executor, health: Health): Promise<void> {
  await tx
    .update(serviceHealth)
    .set({
      healthyMs: Math.round(health.healthyMs),
      lastBeatAt: dateOf(health.lastBeatAtMs),
      highestSeenAt: dateOf(health.highestSeenMs),
      mailTroubledSince: dateOf(health.mailTroubledSinceMs),
      outageEndedAt: dateOf(health.outageEndedMs ?? null),
    })
    .where(theRow);
}

/**
 * Makes this moment the last beat, without more healthy time. Mail that waits since then was not waiting for a mail
 * server: no time is subtracted for it, since none was counted.
 */
export async function restartBeat(tx: Executor): Promise<void> {
  const at = sql`clock_timestamp() + ${serviceHealth.clockOffsetMs} * interval '1 millisecond'`;
  await tx
    .update(serviceHealth)
    .set({
      lastBeatAt: at,
      highestSeenAt: sql`greatest(${serviceHealth.highestSeenAt}, ${at})`,
      mailTroubledSince: sql`coalesce(${serviceHealth.mailTroubledSince}, ${serviceHealth.lastBeatAt})`,
    })
    .where(theRow);
}

export async function writeClock(tx: Executor, clock: { offsetMs: number; livedMs: number }): Promise<void> {
  await tx
    .update(serviceHealth)
    .set({ clockOffsetMs: Math.round(clock.offsetMs), clockLivedMs: Math.round(clock.livedMs) })
    .where(theRow);
}

export async function writeBreaker(
  tx: Executor,
  breaker: Pick<HealthRow, 'breakerDay' | 'breakerCount' | 'silenceStoppedAt'>,
): Promise<void> {
  await tx.update(serviceHealth).set(breaker).where(theRow);
}

export async function writeFreeze(
  tx: Executor,
  freeze: { frozenAt: Date | null; frozenReason: string | null },
): Promise<void> {
  await tx.update(serviceHealth).set(freeze).where(theRow);
}

/** Records the end of a stop. Frozen mails became due then. */
export async function writeResumed(tx: Executor, { atMs, healthyMs }: Mark): Promise<void> {
  const resumed = { resumedAt: new Date(atMs), resumedHealthyMs: Math.round(healthyMs) };
  await tx.update(serviceHealth).set(resumed).where(theRow);
}

/** Reads every freeze, of all and by owner, in one statement. */
export async function readFreezes(
  executor: Executor,
): Promise<Pick<HealthRow, 'frozenAt' | 'frozenReason' | 'silenceStoppedAt'> & { frozenOwners: number }> {
  const frozenOwners = sql<number>`(select count(*)::int from ${users} where ${users.releaseFrozenAt} is not null)`;
  const { frozenAt, frozenReason, silenceStoppedAt } = serviceHealth;
  const [row] = await executor
    .select({ frozenAt, frozenReason, silenceStoppedAt, frozenOwners })
    .from(serviceHealth)
    .where(theRow);
  if (!row) throw new Error('The row of service_health is missing: run everkept migrate.');
  return row;
}

export async function countOwners(executor: Executor): Promise<number> {
  const [row] = await executor.select({ owners: sql<string>`count(*)` }).from(users);
  return Number(row?.owners ?? 0);
}

/** Makes every owner with an open silence, an open request or waiting letters due, after a stop for all has ended. */
export async function wakeOpenReleases(executor: Executor, at: Date): Promise<void> {
  await executor.execute(sql`update ${users} set next_step_at = least(next_step_at, ${at.toISOString()}::timestamptz)
    where id in (select user_id from ${releaseSilences} where closed_at is null
      union select user_id from ${releaseRequests} where closed_at is null
      union select user_id from ${messageDeliveries} where status = 'waiting')`);
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
