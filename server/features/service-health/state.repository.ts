import { eq, sql } from 'drizzle-orm';
import { countedByState } from '#server/features/release-state/release-figures.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { notificationChannels } from '#server/schema/notifications.tables.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import { givenUpDays } from '#shared/contract/admin-state.ts';
import type { ReleaseState } from '#shared/contract/release/release.ts';

/** When a worker was last heard of; null where none ever ran. */
export async function findLastBeat(executor: Executor): Promise<Date | null> {
  const [row] = await executor
    .select({ lastBeatAt: serviceHealth.lastBeatAt })
    .from(serviceHealth)
    .where(eq(serviceHealth.id, 1));
  return row?.lastBeatAt ?? null;
}

/** The latest time that any process has seen; null where none ever looked. */
export async function findHighestSeen(executor: Executor): Promise<Date | null> {
  const [row] = await executor
    .select({ highestSeenAt: serviceHealth.highestSeenAt })
    .from(serviceHealth)
    .where(eq(serviceHealth.id, 1));
  return row?.highestSeenAt ?? null;
}

export type Channel = (typeof notificationChannels)[number];
export type Post = {
  waiting: number;
  failing: number;
  oldestDueAt: Date | null;
  accepted: number;
  givenUp: number;
};

export type Found = {
  lastBeatAt: Date | null;
  highestSeenAt: Date | null;
  mailTroubledSince: Date | null;
  /** The database's clock without the offset of the test clock. */
  databaseMs: number;
  open: { state: ReleaseState; owners: number }[];
  post: Record<Exclude<Channel, 'push'>, Post>;
  checkedAt: Date | null;
  broken: number;
  backup: {
    madeAt: Date | null;
    sizeBytes: number | null;
    failingSince: Date | null;
    reason: string | null;
    practisedAt: Date | null;
    lettersOpened: number | null;
  };
};

type Row = {
  last_beat: string | null;
  highest_seen: string | null;
  troubled_since: string | null;
  database_ms: string;
  open: { state: ReleaseState; owners: number }[] | null;
  waiting: { channel: Channel; waiting: number; failing: number; oldest_due: string | null }[] | null;
  accepted: { channel: Channel; rows: number }[] | null;
  given_up: { channel: Channel; rows: number }[] | null;
  checked_at: string | null;
  broken: number;
  backup: {
    made: number | null;
    bytes: number | null;
    failing: number | null;
    reason: string | null;
    practised: number | null;
    opened: number | null;
  } | null;
};

const ms = (column: string) => sql.raw(`extract(epoch from ${column}) * 1000`);

/** What the database knows of the service, in one question. Each part is found by an index that holds little else. */
export async function findState(executor: Executor, now: Date): Promise<Found> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const { rows } = await executor.execute<Row>(sql`
    select ${ms('last_beat_at')} as last_beat, ${ms('highest_seen_at')} as highest_seen,
      ${ms('mail_troubled_since')} as troubled_since, ${ms('clock_timestamp()')} as database_ms,
      (select json_agg(found) from (${countedByState}) found) as open,
      (select json_agg(found) from (
        select channel, count(*)::int as waiting, (count(*) filter (where attempts > 0))::int as failing,
          ${ms('min(not_before)')} as oldest_due
        from notifications where status in ('pending', 'sending') and not_before <= ${at} group by channel) found) as waiting,
      (select json_agg(found) from (
        select channel, count(*)::int as rows from notifications
        where accepted_at > ${at} - interval '1 day' group by channel) found) as accepted,
      (select json_agg(found) from (
        select channel, count(*)::int as rows from notifications
        where status in ('bounced', 'dead') and ended_at > ${at} - ${givenUpDays} * interval '1 day'
        group by channel) found) as given_up,
      (select ${ms('finished_at')} from integrity_rounds) as checked_at,
      (select count(*)::int from integrity_events) as broken,
      (select json_build_object('made', ${ms('made_at')}, 'bytes', size_bytes, 'failing', ${ms('failing_since')},
        'reason', reason, 'practised', ${ms('practised_at')}, 'opened', letters_opened) from backup_state) as backup
    from service_health where id = 1`);
  const [row] = rows;
  if (!row) throw new Error('The row of service_health is missing: run everkept migrate.');
  return {
    lastBeatAt: dateOf(row.last_beat),
    highestSeenAt: dateOf(row.highest_seen),
    mailTroubledSince: dateOf(row.troubled_since),
    databaseMs: Number(row.database_ms),
    open: row.open ?? [],
    post: { email: postOf(row, 'email'), sms: postOf(row, 'sms'), webhook: postOf(row, 'webhook') },
    checkedAt: dateOf(row.checked_at),
    broken: row.broken,
    backup: backupOf(row.backup),
  };
}

function backupOf(found: Row['backup']): Found['backup'] {
  const dateIn = (epochMs: number | null = null) => (epochMs === null ? null : new Date(Math.round(epochMs)));
  return {
    madeAt: dateIn(found?.made),
    sizeBytes: found?.bytes ?? null,
    failingSince: dateIn(found?.failing),
    reason: found?.reason ?? null,
    practisedAt: dateIn(found?.practised),
    lettersOpened: found?.opened ?? null,
  };
}

function postOf({ waiting, accepted, given_up }: Row, channel: Channel): Post {
  const found = waiting?.find((each) => each.channel === channel);
  const rowsOf = (counted: Row['accepted']) => counted?.find((each) => each.channel === channel)?.rows ?? 0;
  return {
    waiting: found?.waiting ?? 0,
    failing: found?.failing ?? 0,
    oldestDueAt: dateOf(found?.oldest_due ?? null),
    accepted: rowsOf(accepted),
    givenUp: rowsOf(given_up),
  };
}

function dateOf(epochMs: string | null): Date | null {
  return epochMs === null ? null : new Date(Math.round(Number(epochMs)));
}
