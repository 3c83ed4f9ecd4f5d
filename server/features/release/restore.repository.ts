import { eq, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { releaseCycles } from '#server/schema/release.tables.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import { wakeOpenCycles } from './health.repository.ts';
import { addressAgainKind, askedAgainKind, restoredKind } from './release-keys.rules.ts';
import { countProposalsToTell, endProposalsOfBackup } from './release-proposals.repository.ts';
import type { RestoreProgress } from './restore.rules.ts';

/**
 * Stops everything, at a moment that none of the open releases was begun after, and has the sweep look at each of them. All
 * of it with what the first version of the tables had, but for proposals, which end where there is a table of them.
 */
export async function stopRestored(tx: Executor, reasonAfter: (before: string | null) => string): Promise<void> {
  const { id, frozenAt, frozenReason: reason, lastBeatAt, highestSeenAt } = serviceHealth;
  const [before] = await tx.select({ reason }).from(serviceHealth).where(eq(id, 1));
  const newest = sql`(select max(opened_at) from release_cycles where closed_at is null)`;
  const [stopped] = await tx
    .update(serviceHealth)
    .set({
      frozenAt: sql`greatest(${lastBeatAt}, ${highestSeenAt}, ${newest})`,
      frozenReason: reasonAfter(before?.reason ?? null),
    })
    .where(eq(id, 1))
    .returning({ at: lastBeatAt });
  if (stopped?.at) await wakeOpenCycles(tx, stopped.at);
  await endProposalsOfBackup(tx, sql`(select ${frozenAt} from ${serviceHealth} where ${id} = 1)`);
}

type Counted = Omit<RestoreProgress, 'proposalsNotTold'>;

/** How far owners have been told since the restore that everything was stopped for at this time. */
export async function readRestoreProgress(executor: Executor, restoredAtMs: number): Promise<RestoreProgress> {
  const restoredAt = sql`${new Date(restoredAtMs).toISOString()}::timestamptz`;
  const counted = (what: 'integer' | 'bigint', which: ReturnType<typeof sql>, of = sql`count(*)`) =>
    sql`${of} filter (where ${which})::${sql.raw(what)}`;
  const { rows } = await executor.execute<Record<keyof Counted, string | number | null>>(sql`
    select
      ${counted('integer', sql`restored_at is distinct from ${restoredAt}`)} as "notBegun",
      ${counted('bigint', sql`state not in ('reminded', 'warned')`, sql`max(restored_healthy_ms)`)} as "lastHealthyMs",
      ${counted('integer', sql`state in ('asking', 'holding', 'paused')`)} as "ownersAsked",
      ${counted('integer', sql`state = 'releasing'`)} as "ownersReleasing",
      (select count(*)::int from ${notifications} where kind in (${restoredKind}, ${askedAgainKind}, ${addressAgainKind}) and channel = 'email'
        and status in ('pending', 'sending') and attempts = 0) as "notTried",
      (select count(*)::int from ${messageDeliveries} where status = 'pending') as "lettersWaiting"
    from ${releaseCycles}
    where closed_at is null and state <> 'released' and opened_at <= ${restoredAt}`);
  const [row] = rows;
  const number = (key: keyof Counted) => Number(row?.[key] ?? 0);
  return {
    notBegun: number('notBegun'),
    proposalsNotTold: await countProposalsToTell(executor),
    notTried: number('notTried'),
    lastHealthyMs: row?.lastHealthyMs == null ? null : Number(row.lastHealthyMs),
    ownersAsked: number('ownersAsked'),
    ownersReleasing: number('ownersReleasing'),
    lettersWaiting: number('lettersWaiting'),
  };
}
