import { sql } from 'drizzle-orm';
import { countedByState } from '#server/features/release-state/release-figures.ts';
import type { Reading } from '#server/http/metrics.ts';
import { troubles } from '#shared/rules/troubles.ts';
import type { App } from './app.ts';
import type { Worker } from './worker.ts';

type Figures = {
  mail: { channel: string; status: string; rows: number }[] | null;
  releases: { state: string; owners: number }[] | null;
  oldest_due: number | null;
  since_beat: number | null;
  healthy: number;
  clock_behind: number | null;
  frozen: boolean;
  mail_troubled: boolean;
  broken: number;
  owners: number;
  site_failing: number | null;
  site_answered: number | null;
  backup_age: number | null;
  backup_failing: number | null;
  alerts: { trouble: string; rows: number }[] | null;
  tasks: { name: string; failed: number }[] | null;
};

/** Everything the database knows of the installation, in one question. */
async function findFigures(db: App['db'], at: string): Promise<Figures | undefined> {
  const { rows } = await db.execute<Figures>(sql`
    select
      (select json_agg(found) from (
        select channel, status, count(*)::int as rows from notifications
        where status in ('pending', 'sending') or ended_at > ${at}::timestamptz - interval '1 day' group by 1, 2) found) as mail,
      (select json_agg(found) from (${countedByState}) found) as releases,
      (select extract(epoch from ${at}::timestamptz - min(next_attempt_at))::float from notifications
        where status = 'pending' and channel in ('email', 'sms') and next_attempt_at <= ${at}::timestamptz) as oldest_due,
      extract(epoch from ${at}::timestamptz - last_beat_at)::float as since_beat,
      healthy_ms::float / 1000 as healthy,
      greatest(0, extract(epoch from highest_seen_at - ${at}::timestamptz))::float as clock_behind,
      (frozen_at is not null or silence_stopped_at is not null) as frozen,
      mail_troubled_since is not null as mail_troubled,
      (select count(*)::int from integrity_events) as broken,
      (select extract(epoch from ${at}::timestamptz - failing_since)::float from site_watch) as site_failing,
      (select extract(epoch from ${at}::timestamptz - answered_at)::float from site_watch) as site_answered,
      (select extract(epoch from ${at}::timestamptz - made_at)::float from backup_state) as backup_age,
      (select extract(epoch from ${at}::timestamptz - failing_since)::float from backup_state) as backup_failing,
      (select json_agg(found) from (
        select trouble, (since is not null)::int as rows from service_alerts order by 1) found) as alerts,
      (select json_agg(found) from (
        select name, coalesce(failed_at > coalesce(ended_at, '-infinity'), false)::int as failed
        from task_runs where begun_at > ${at}::timestamptz - interval '1 week' order by name) found) as tasks,
      (select reltuples::int from pg_class where oid = 'public.users'::regclass) as owners
    from service_health where id = 1`);
  return rows[0];
}

type Needed = Pick<App, 'db' | 'pool' | 'clock' | 'store' | 'silences'>;

/** A store that needs longer to answer is of no use to a reader who waits for a file. */
const storeTimeoutMs = 2_000;

/** Figures of `/metrics`: the installation, and the pool and work of this process. */
export async function readFigures(installation: Needed, worker?: Pick<Worker, 'idleSeconds'>): Promise<Reading[]> {
  const { db, clock, store } = installation;
  const [found, isStoreWell] = await Promise.all([
    clock.now().then((now) => findFigures(db, now.toISOString())),
    store.check(AbortSignal.timeout(storeTimeoutMs)).then(
      () => true,
      () => false,
    ),
  ]);
  const ofProcess = [
    ...poolReadings(installation),
    ...(worker
      ? [one('everkept_work_idle_seconds', 'Time since this worker last did its due work', worker.idleSeconds())]
      : []),
  ];
  if (!found) return ofProcess;
  return [
    one('everkept_file_store_ok', '1 while files can be kept', Number(isStoreWell)),
    {
      name: 'everkept_notifications',
      help: 'Mail and texts that wait, and those that ended in the last day, by result',
      values: (found.mail ?? []).map(({ channel, status, rows: value }) => ({ labels: { channel, status }, value })),
    },
    {
      name: 'everkept_releases_open',
      help: 'Owners whose silence is being followed up, by stage',
      values: (found.releases ?? []).map(({ state, owners: value }) => ({ labels: { state }, value })),
    },
    one('everkept_notifications_oldest_due_seconds', 'Age of the oldest mail that is due', found.oldest_due),
    one('everkept_worker_last_beat_seconds', 'Time since the last heartbeat; over 900 is an outage', found.since_beat),
    one(
      'everkept_site_failing_seconds',
      'How long workers have not reached the site at its address; 0 while they do, or never did',
      found.site_failing,
    ),
    one(
      'everkept_site_last_answer_seconds',
      'Time since a worker last reached the site at its address',
      found.site_answered,
    ),
    one('everkept_backup_age_seconds', 'Time since the last automatic backup; 0 if there was none', found.backup_age),
    one('everkept_backup_failing_seconds', 'How long backups have failed; 0 while they do not', found.backup_failing),
    {
      name: 'everkept_alerts_open',
      help: '1 while this trouble is reported to the operator, by trouble',
      values: troubles.map((trouble) => ({
        labels: { trouble },
        value: found.alerts?.find((alert) => alert.trouble === trouble)?.rows ?? 0,
      })),
    },
    taskReading(found),
    one('everkept_healthy_seconds', 'Time that counts towards answers; paused in an outage', found.healthy),
    one(
      'everkept_clock_behind_seconds',
      'Time by which the clock is behind a time it has shown before; over 2, no release moves forward',
      found.clock_behind,
    ),
    one(
      'everkept_releases_frozen',
      '1 while releases are stopped until the operator has checked',
      Number(found.frozen),
    ),
    one('everkept_mail_troubled', '1 while mail is due and none is accepted', Number(found.mail_troubled)),
    one('everkept_integrity_broken', 'Places that no longer match their seal', found.broken),
    one('everkept_owners', 'Accounts, as PostgreSQL estimates them', Math.max(0, found.owners)),
    ...ofProcess,
  ];
}

function taskReading({ tasks }: Figures): Reading {
  const values = (tasks ?? []).map(({ name: task, failed: value }) => ({ labels: { task }, value }));
  return { name: 'everkept_task_failed', help: '1 if the last run of a task failed', values };
}

function poolReadings({ pool, silences }: Pick<Needed, 'pool' | 'silences'>): Reading[] {
  const counts = { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
  return [
    {
      name: 'everkept_database_connections',
      help: 'Connections of this process, and requests that wait for one',
      values: Object.entries(counts).map(([state, value]) => ({ labels: { state }, value })),
    },
    one('everkept_database_silences', 'Connections of this process that went silent and were closed', silences().count),
  ];
}

/** A missing value counts as 0: nothing waits, and no worker has run yet. */
function one(name: string, help: string, value: number | null): Reading {
  return { name, help, values: [{ value: value ?? 0 }] };
}
