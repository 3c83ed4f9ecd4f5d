import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { bad, type Finding, poor, well } from '#server/features/service-health/findings.rules.ts';
import { askGapMs } from '#server/features/service-health/site-watch.rules.ts';
import {
  checkLateMs,
  clockDifferenceMaxMs,
  clockToleranceMs,
  mailLateMs,
} from '#server/features/service-health/state.rules.ts';
import { workerSilentMs } from '#server/features/service-health/worker-watch.rules.ts';
import { findMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys, type ServiceKeys, WrongMasterKeyError } from '#server/platform/crypto/service-keys.ts';
import { ownMigrations } from '#server/platform/db/migrate.ts';
import type { Settings } from '#server/settings.ts';
import { lookAtConnections, lookAtPooler } from './connections.ts';
import { readStoredFacts, type StoredFacts } from './endings.ts';
import { tried } from './findings.ts';
import { lookAtPaymentEvents } from './payment-events.ts';

/** For each word of the database. */
const answerTimeoutMs = 10_000;

/** Findings, and what database and master key yield: the keys of the installation, and facts about what ends. */
export type DatabaseLook = {
  findings: Finding[];
  keys?: ServiceKeys | undefined;
  stored?: StoredFacts | undefined;
};

/** Findings about the database, the worker and the clock. Reads only, and migrates nothing. */
export async function lookAtDatabase(settings: Settings, connection: pg.PoolConfig): Promise<DatabaseLook> {
  const client = new pg.Client({
    ...connection,
    application_name: 'everkept doctor',
    connectionTimeoutMillis: answerTimeoutMs,
    query_timeout: answerTimeoutMs,
  });
  client.on('error', () => {});
  const mend = 'Start PostgreSQL, and check DATABASE_URL: name, password, address and database.';
  let keys: ServiceKeys | undefined;
  let stored: StoredFacts | undefined;
  const findings = await tried(
    'database',
    mend,
    async () => {
      await client.connect();
      try {
        const version = await client.query<{ server_version: string }>('show server_version');
        const findings = [
          well('database', `PostgreSQL ${version.rows[0]?.server_version} answers.`),
          ...(await lookAtPooler(connection, settings)),
          await lookAtConnections(client, settings),
          await lookAtClock(client),
        ];
        const migrations = await lookAtMigrations(client);
        findings.push(migrations);
        if (migrations.state !== 'well') return findings;
        stored = await readStoredFacts(client, settings);
        const opened = await lookAtKeys(client, settings);
        keys = opened.keys;
        return [...findings, opened.finding, ...(await lookAtWork(client)), ...(await lookAtPaymentEvents(client))];
      } finally {
        await client.end();
      }
    },
    null,
  );
  return { findings, keys, stored };
}

async function lookAtClock(client: pg.Client): Promise<Finding> {
  const beforeMs = Date.now();
  const { rows } = await client.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
  const here = (beforeMs + Date.now()) / 2;
  const difference = Math.abs(Number(rows[0]?.ms) - here);
  const found = `The clock here and the database's differ by ${Math.round(difference)} ms.`;
  return difference > clockDifferenceMaxMs
    ? bad('clock', found, 'Have both machines take their time from a time server (chrony, or systemd-timesyncd).')
    : well('clock', found);
}

async function lookAtMigrations(client: pg.Client): Promise<Finding> {
  const what = 'migrations';
  const known = readMigrationFiles({ migrationsFolder: ownMigrations }).map(({ hash }) => hash);
  const table = await client.query("select to_regclass('public.schema_migrations') as found");
  const isThere = table.rows[0]?.found !== null;
  const { rows } = isThere
    ? await client.query<{ hash: string }>('select hash from public.schema_migrations order by created_at')
    : { rows: [] };
  const applied = new Set(rows.map(({ hash }) => hash));
  if ([...applied].some((hash) => !known.includes(hash))) {
    return bad(
      what,
      'The database was used by a newer release.',
      'Start that release, or restore a backup that this one made.',
    );
  }
  const missing = known.filter((hash) => !applied.has(hash)).length;
  if (missing === 0) return well(what, `All ${known.length} are there.`);
  return poor(what, `${missing} are pending.`, 'Make a backup, then run everkept migrate, or start.');
}

async function lookAtKeys(
  client: pg.Client,
  settings: Settings,
): Promise<{ finding: Finding; keys?: ServiceKeys | undefined }> {
  const what = 'master key and database';
  const masterKeys = await findMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
  const { rows } = await client.query('select 1 from service_keys limit 1');
  if (rows.length === 0) return { finding: well(what, 'Nothing is sealed yet.') };
  const mend =
    'Start with the key that was in use when this database was made. Nothing in the database opens without that key.';
  if (!masterKeys) return { finding: bad(what, 'The database was made with a key that is not here.', mend) };
  try {
    const keys = await createServiceKeys(drizzle({ client }), masterKeys);
    return { finding: well(what, 'The key opens this database.'), keys };
  } catch (error) {
    if (error instanceof WrongMasterKeyError) {
      return { finding: bad(what, 'The key does not open this database.', mend) };
    }
    throw error;
  }
}

type Work = {
  beat_ms: string | null;
  frozen_reason: string | null;
  silence_stopped: Date | null;
  ahead_until: Date | null;
  troubled: Date | null;
  troubled_ms: string | null;
  dead: number;
  broken: number;
  checked_ms: string | null;
  round_days: string | null;
};

async function lookAtWork(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<Work>(
    `
    select extract(epoch from clock_timestamp() - last_beat_at) * 1000 + clock_offset_ms as beat_ms, frozen_reason,
      silence_stopped_at as silence_stopped,
      case when highest_seen_at > clock_timestamp() + (clock_offset_ms + $1) * interval '1 millisecond' then highest_seen_at end as ahead_until,
      mail_troubled_since as troubled,
      extract(epoch from clock_timestamp() - mail_troubled_since) * 1000 + clock_offset_ms as troubled_ms,
      (select count(*)::int from notifications where status = 'dead' and channel in ('email', 'sms')) as dead,
      (select count(*)::int from integrity_events) as broken,
      (select extract(epoch from clock_timestamp() - max(finished_at)) * 1000 from integrity_rounds) as checked_ms,
      (select extract(epoch from finished_at - started_at) / 86400 from integrity_rounds where finished_at > started_at) as round_days
    from service_health where id = 1`,
    [clockToleranceMs],
  );
  const [work] = rows;
  if (!work) return [bad('worker', 'The row of service_health is missing.', 'Run everkept migrate.')];
  return [
    lookAtWorker(work),
    ...(await lookAtSite(client)),
    ...lookAtTime(work),
    lookAtReleases(work),
    lookAtPost(work),
    lookAtSeals(work),
    await checkTasks(client),
  ];
}

/** Lists tasks whose last run failed. A task that has not run for a week is no longer in the list of tasks. */
async function checkTasks(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ name: string; failure: string; failed_at: Date }>(
    `select name, failure, failed_at from task_runs
    where failed_at > coalesce(ended_at, '-infinity') and begun_at > clock_timestamp() - interval '1 week' order by name`,
  );
  if (rows.length === 0) return well('tasks', 'The last run of each task succeeded.');
  const failed = rows.map(({ name, failure, failed_at }) => `${name} (${failure} at ${failed_at.toISOString()})`);
  const found = `The last run of these tasks failed: ${failed.join(', ')}.`;
  return poor(
    'tasks',
    found,
    'Read the log of the worker from that time. Each task runs again, as everkept tasks shows.',
  );
}

type Site = { address: string; since: Date | null; answered: Date | null; asked_ms: string; reason: string | null };

/** The site as workers found it at its public address; nothing where none has asked. */
async function lookAtSite(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<Site>(`
    select address, failing_since as since, answered_at as answered, reason,
      extract(epoch from clock_timestamp() - asked_at) * 1000 + clock_offset_ms as asked_ms
    from site_watch, service_health`);
  const [site] = rows;
  if (!site) return [];
  const { address, since, answered, reason } = site;
  const mend =
    'Check the process of the site, the proxy, its certificate and the DNS. If only the worker cannot reach the site, give its machine a route to it.';
  if (since && Number(site.asked_ms) <= askGapMs) {
    const why = reason === null ? '' : ` (${reason})`;
    return [bad('site', `Workers have not reached ${address} since ${since.toISOString()}${why}.`, mend)];
  }
  if (!answered) return [well('site', `No worker has reached ${address} yet, so no one is emailed if it stops.`)];
  return [well('site', `A worker last reached ${address} at ${answered.toISOString()}.`)];
}

/** Only where something is wrong: the clocks themselves are compared elsewhere. */
function lookAtTime({ ahead_until }: Work): Finding[] {
  if (ahead_until === null) return [];
  const found = `The clock was ahead once: no release moves forward before ${ahead_until.toISOString()}.`;
  return [
    bad('time', found, 'Find out which clock was wrong. If the present time is right, run everkept clock accept.'),
  ];
}

function lookAtWorker({ beat_ms }: Work): Finding {
  const mend = 'Start Everkept with ROLE=all or ROLE=worker, and read its log. Until then nothing is sent.';
  if (beat_ms === null) return poor('worker', 'No worker has run here yet.', mend);
  const minutes = Math.round(Number(beat_ms) / 60_000);
  const found = `The worker last reported ${minutes} minutes ago.`;
  return Number(beat_ms) > workerSilentMs ? bad('worker', found, mend) : well('worker', found);
}

function lookAtReleases({ frozen_reason, silence_stopped }: Work): Finding {
  const mend = 'Find out why, then run everkept release resume.';
  if (frozen_reason !== null) return bad('releases', `Releases are stopped: ${frozen_reason}`, mend);
  if (silence_stopped !== null) {
    const since = silence_stopped.toISOString();
    return bad('releases', `The breaker has stopped releases by silence since ${since}.`, mend);
  }
  return well('releases', 'Nothing is stopped.');
}

function lookAtPost({ troubled, troubled_ms, dead }: Work): Finding {
  const mend = 'Check SMTP_URL and the log of the mail server. Waiting mail is then sent automatically.';
  const isLate = troubled !== null && Number(troubled_ms) > mailLateMs;
  if (isLate) return bad('post', `Mail is due, and none was accepted since ${troubled.toISOString()}.`, mend);
  return dead > 0
    ? poor('post', `${dead} mails or texts failed permanently.`, 'Check the log of that time, and the addresses.')
    : well('post', 'Nothing is stuck.');
}

/** Words about the duration of the last full check, if it took more than a moment. */
function roundWords(days: string | null): string {
  if (days === null || Number(days) < 0.1) return '';
  return ` The last check of everything took ${Number(days).toFixed(1)} days.`;
}

function lookAtSeals({ broken, checked_ms, round_days }: Work): Finding {
  if (broken > 0) {
    return bad(
      'seals',
      `${broken} places no longer match their seal.`,
      'Run everkept integrity, and read “When something is damaged” in docs/operations.md.',
    );
  }
  const isLate = checked_ms !== null && Number(checked_ms) > checkLateMs;
  return isLate
    ? poor(
        'seals',
        'Everything was last checked more than nine days ago.',
        'Let a worker run, or run everkept integrity.',
      )
    : well('seals', `No damage is known.${roundWords(round_days)}`);
}
