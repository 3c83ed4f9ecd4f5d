import { eq, type SQL, sql } from 'drizzle-orm';
import {
  countProposalsToTell,
  endProposalsOfBackup,
} from '#server/features/release-health/address-proposals.repository.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { releaseNotices, releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import { wakeOpenReleases } from './health.repository.ts';
import type { RestoreProgress } from './restore.rules.ts';

/** Kinds of mail that notify of a restore. */
const ofRestore: readonly MailKind[] = ['release.owner_restored', 'release.address-again'];
/** Kinds of mail by which a restore ends what was open. */
const endedByRestore: readonly MailKind[] = [
  'release.contact_ended',
  'release.owner_ended',
  'release.owner_letters_wait',
];

/** Freezes everything, at a moment after which no open silence or request began, and makes the sweep visit each. */
export async function stopRestored(tx: Executor, reasonAfter: (before: string | null) => string): Promise<void> {
  const { id, frozenAt, frozenReason: reason, lastBeatAt, highestSeenAt } = serviceHealth;
  const [before] = await tx.select({ reason }).from(serviceHealth).where(eq(id, 1));
  const newest = sql`(select max(opened_at) from (select opened_at from release_silences where closed_at is null
    union all select opened_at from release_requests where closed_at is null) open)`;
  const [stopped] = await tx
    .update(serviceHealth)
    .set({
      frozenAt: sql`greatest(${lastBeatAt}, ${highestSeenAt}, ${newest})`,
      frozenReason: reasonAfter(before?.reason ?? null),
    })
    .where(eq(id, 1))
    .returning({ at: lastBeatAt });
  if (stopped?.at) await wakeOpenReleases(tx, stopped.at);
  await endProposalsOfBackup(tx, sql`(select ${frozenAt} from ${serviceHealth} where ${id} = 1)`);
}

type Counted = Omit<RestoreProgress, 'proposalsNotTold'>;

/** Progress of the notices to owners since the restore of this time. */
export async function readRestoreProgress(executor: Executor, restoredAtMs: number): Promise<RestoreProgress> {
  const restoredAt = sql`${new Date(restoredAtMs).toISOString()}::timestamptz`;
  const openOf = (table: SQL) =>
    sql`exists (select 1 from ${table} open where open.user_id = ${users.id} and open.closed_at is null and open.opened_at <= ${restoredAt})`;
  const endedBy = sql`${releaseRequests.outcome} = 'begun_anew' and ${releaseRequests.closedAt} >= ${restoredAt}`;
  const { rows } = await executor.execute<Record<keyof Counted, string | number | null>>(sql`
    select
      (select count(*)::int from ${users} where ${users.releaseBegunAnewAt} is distinct from ${restoredAt}
        and (${openOf(sql`${releaseSilences}`)} or exists (
          select 1 from ${releaseRequests} open where open.user_id = ${users.id} and open.closed_at is null
            and open.done_at is null and open.opened_at <= ${restoredAt}) or exists (
          select 1 from ${messageDeliveries} later where later.user_id = ${users.id} and later.status = 'waiting'
            and later.created_at <= ${restoredAt}))) as "notBegun",
      (select max(written_healthy_ms)::bigint from ${releaseNotices} told
        where topic in ('request_ended', 'letters_wait') and written_at >= ${restoredAt} and (
          exists (select 1 from ${releaseSilences} open where open.user_id = told.user_id and open.closed_at is null)
          or exists (select 1 from ${releaseRequests} open where open.user_id = told.user_id and open.closed_at is null)
          or exists (select 1 from ${users} waiting where waiting.id = told.user_id and waiting.release_restart_notice = told.number)
        )) as "lastHealthyMs",
      (select count(*)::int from ${releaseRequests} where ${endedBy}
        or (closed_at is null and released_at is null and opened_at <= ${restoredAt})) as "ownersAsked",
      (select count(*)::int from ${releaseRequests}
        where closed_at is null and released_at is not null and done_at is null) as "ownersReleasing",
      (select count(*)::int from ${notifications} where channel = 'email' and status in ('pending', 'sending') and attempts = 0
        and (kind = any(${sql.param(ofRestore)}::text[])
          or kind = any(${sql.param(endedByRestore)}::text[]) and created_at >= ${restoredAt})) as "notTried",
      (select count(*)::int from ${messageDeliveries} where status = 'pending') as "lettersWaiting"`);
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
