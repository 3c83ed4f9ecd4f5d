import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '#server/app.ts';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { eraseDueAccounts } from '#server/features/deletion/erasure.ts';
import { removeNamelessFiles } from '#server/features/files/upkeep.ts';
import { checkSome } from '#server/features/integrity/integrity-check.ts';
import { purgeEndedMessages } from '#server/features/notifications/mail-queue.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { sweepReleases } from '#server/features/release/release-sweep.ts';
import { expiringKinds, removeExpired, removeExpiredAudit } from '#server/features/retention/expiry.ts';
import { eachCandidate } from '#server/features/retention/retention.repository.ts';
import { findState } from '#server/features/service-health/state.repository.ts';
import { openInstallation } from '#server/installation.ts';
import { readFigures } from '#server/metrics.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { loadSettings } from '#server/settings.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { noticeKinds } from '#shared/rules/retention.ts';
import type { Figure } from '#tests/bench/figure.ts';
import { atMost, type Drill } from './drill.ts';

const ownersUsual = 5_000;
const poolSize = 4;
const pageSize = 100;
/** A table of fewer is read from its beginning with good reason: it is quicker. */
const ownersOfScans = 200_000;
/** Need of ten million owners: five million rows of a kind per day, within a chore's quarter of an hour. */
const rowsPerSecondGoal = 5_000_000 / 900;
/** Prometheus gives up after ten; a site is asked by several. */
const scrapeGoalMs = 2_000;

/**
 * `npm run drill crowd [OWNERS [DATA_DIR]]`: among so many owners, made again, or made before by `bench-data` in that
 * folder.
 */
export const crowdDrill: Drill = {
  name: 'crowd',
  shows:
    'what is done once a day and asked once a minute reads what is due, and not all there is, among very many owners',
  needs: [],
  run: async ([owners = String(ownersUsual), madeIn] = []) => {
    const dataDir = madeIn ?? (await mkdtemp(join(tmpdir(), 'everkept-crowd-')));
    const postgres = await startEmbeddedPostgres({ dataDir });
    try {
      const { host, port, user, database } = postgres.connection;
      const url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host ?? '')}&port=${port}`;
      const own = {
        DATABASE_URL: url,
        DATA_DIR: dataDir,
        DATABASE_POOL_SIZE: String(poolSize),
        LOG_LEVEL: 'silent',
        BASE_URL: '',
      };
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...own };
      if (!madeIn) await everkept(env, 'bench-data', '--owners', owners);
      const installation = await openInstallation(settingsOf(own));
      try {
        const isCrowd = Number(owners) >= ownersOfScans;
        return await measureAll(installation, isCrowd);
      } finally {
        await installation.close();
      }
    } finally {
      await postgres.stop();
      if (!madeIn) await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
  },
};

/** Settings are read from the environment, which is afterwards as it was. */
function settingsOf(own: Readonly<Record<string, string>>) {
  const before = Object.keys(own).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, own);
  try {
    return loadSettings();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

async function everkept(env: NodeJS.ProcessEnv, ...words: string[]): Promise<void> {
  const command = spawn(process.execPath, ['server/start.mjs', ...words], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  command.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(command, 'close')) as [number | null];
  if (code !== 0) throw new Error(`everkept ${words.join(' ')} ended with ${code}.`);
}

type Work = { what: string; do: () => Promise<number>; goal?: Goal; readsAll?: boolean };
type Goal = { ms: number } | { rowsPerSecond: number };

async function measureAll(installation: App, isCrowd: boolean): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const work of worksOf(installation, isCrowd))
    figures.push(...(await measure(installation, { ...work, readsAll: work.readsAll || !isCrowd })));
  return figures;
}

function worksOf(installation: App, isCrowd: boolean): Work[] {
  const { db } = installation;
  const long = new Date(Date.now() - 365 * dayMs);
  const horizons = { idleBefore: yearsAgo(3), openedBefore: long, lapsedBefore: long, deliveredBefore: long };
  const rate = { rowsPerSecond: rowsPerSecondGoal };
  return [
    {
      what: 'a scrape of /metrics',
      do: async () => (await readFigures(installation)).length,
      goal: { ms: scrapeGoalMs },
    },
    {
      what: 'the Admin Panel’s state of the service',
      do: () => one(findState(db, new Date())),
      goal: { ms: scrapeGoalMs },
    },
    { what: 'a sweep', do: () => one(sweepReleases(installation)) },
    { what: 'a sweep with nothing due', do: () => one(sweepReleases(installation)) },
    { what: 'what waits to be sent, with nothing due', do: () => one(dispatchDue(installation)) },
    { what: 'to empty what sent mails said', do: () => purgeEndedMessages(installation) },
    { what: 'accounts to be erased', do: () => eraseDueAccounts(installation) },
    { what: 'files without a row', do: () => one(removeNamelessFiles(installation)) },
    ...noticeKinds.map((kind) => ({
      what: `retention, ${kind}: who is looked at`,
      do: async () => countOf(eachCandidate(db, kind, { horizons, perPage: pageSize })),
    })),
    ...expiringKinds.map((kind) => ({
      what: `expiry, ${kind}`,
      do: () => untilNothing(() => removeExpired(installation, kind)),
      goal: rate,
    })),
    { what: 'expiry, lines of the audit log', do: () => untilNothing(() => removeExpiredAudit(installation)) },
    { what: 'audit verify', do: async () => (await verifyAudit(installation)).rows, readsAll: true },
    { what: 'a slice of the weekly check, in owners', do: () => checkedIn(installation, isCrowd), readsAll: true },
  ];
}

async function measure(installation: App, { what, do: work, goal, readsAll = false }: Work): Promise<Figure[]> {
  const before = await scanned(installation);
  const heapBefore = process.memoryUsage().rss;
  const startedMs = performance.now();
  const rows = await work();
  const tookMs = performance.now() - startedMs;
  const read = (await scanned(installation)) - before;
  const grown = (process.memoryUsage().rss - heapBefore) / 1_048_576;
  return [
    {
      what,
      figure: `${shown(tookMs / 1_000)}, ${rows.toLocaleString('en-GB')}${grown > 50 ? `, ${grown.toFixed(0)} MiB more` : ''}`,
      ...judged({ rows, tookMs }, goal),
    },
    ...(readsAll || read === 0 ? [] : [atMost(`  rows that ${what} read one after the other`, read, { goal: 0 })]),
  ];
}

function judged({ rows, tookMs }: { rows: number; tookMs: number }, goal: Goal | undefined) {
  if (!goal) return {};
  if ('ms' in goal) return { goal: `≤ ${goal.ms} ms`, met: tookMs <= goal.ms };
  // Too few say nothing of how many go in a second.
  if (rows < rowsPerSecondGoal) return {};
  const rate = rows / (tookMs / 1_000);
  return { goal: `≥ ${Math.round(goal.rowsPerSecond)} a second`, met: rate >= goal.rowsPerSecond };
}

/**
 * Rows that were read by going through a table from its beginning, of tables that grow with the number of owners. What a connection
 * has read it tells when it is asked to, so each is.
 */
async function scanned({ pool }: App): Promise<number> {
  const clients = await Promise.all(Array.from({ length: poolSize }, () => pool.connect()));
  try {
    for (const client of clients) await client.query('select pg_stat_force_next_flush()');
    for (const client of clients) await client.query('select 1');
    const { rows } = (await clients[0]?.query<{ read: string }>(`
      select coalesce(sum(seq_tup_read), 0) as read from pg_stat_user_tables where relname in (
        'users', 'vault_keys', 'messages', 'message_recipients', 'trusted_contacts', 'checkins', 'sessions', 'notifications',
        'audit_logs', 'audit_chains', 'file_objects')`)) ?? { rows: [] };
    return Number(rows[0]?.read ?? 0);
  } finally {
    for (const client of clients) client.release();
  }
}

async function countOf(found: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of found) count += 1;
  return count;
}

async function untilNothing(remove: () => Promise<number>): Promise<number> {
  let all = 0;
  for (let rows = await remove(); rows > 0; rows = await remove()) all += rows;
  return all;
}

async function checkedIn(app: App, isCrowd: boolean): Promise<number> {
  await checkSome(app, isCrowd ? {} : { pace: { sliceMs: 2_000, bytesPerSecond: Number.POSITIVE_INFINITY } });
  const { rows } = await app.db.execute<{ owners: number }>(
    'select count(*)::int as owners from users where id <= (select after_user_id from integrity_rounds)',
  );
  return rows[0]?.owners ?? 0;
}

async function one(work: Promise<unknown>): Promise<number> {
  await work;
  return 1;
}

const yearsAgo = (years: number) => new Date(Date.now() - years * 366 * dayMs);
const shown = (seconds: number) => (seconds < 1 ? `${(seconds * 1_000).toFixed(0)} ms` : `${seconds.toFixed(1)} s`);
