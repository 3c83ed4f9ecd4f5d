/**
 * One worker process that sweeps an existing database until no owner is due. It reports when it is ready, starts on a
 * message, and reports the number of visited owners.
 *
 * Usage: fork('tests/bench/sweep-worker.ts', [DATABASE_CONFIG_JSON, MASTER_KEY_HEX])
 */
import type pg from 'pg';
import { pino } from 'pino';
import { notificationJobs } from '#server/features/notifications/notifications.jobs.ts';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createPgBossQueue } from '#server/platform/queue/pg-boss-queue.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { createServices } from '#server/services.ts';

const maxConnections = 20;

const [config = '{}', keyHex = ''] = process.argv.slice(2);
const connection: pg.PoolConfig = JSON.parse(config);
const key = Buffer.from(keyHex, 'hex');
const masterKeys = { current: { version: 1, key }, find: () => key };
const rethrow = (error: Error): never => {
  throw error;
};

const { db, pool, close } = openDatabase({ connection, maxConnections, onError: rethrow });
const queue = createPgBossQueue({ pool, jobs: notificationJobs, onError: rethrow });
await queue.start();
const { releases } = createServices({
  db,
  log: pino({ level: 'silent' }),
  clock: createDatabaseClock(db, { testClock: false }),
  masterKeys,
  serviceKeys: await createServiceKeys(db, masterKeys),
  mailer: createMemoryMailer(),
  texter: createMemoryTexter(),
  queue,
  store: createMemoryStore(),
  scanner: noScanner,
  ledger: createMemoryLedger(),
  limits: createRateLimits({ db }),
  baseUrl: 'https://everkept.example',
  mailFrom: 'Everkept <hello@everkept.example>',
  adminEmail: null,
  answerDaysDefault: 7,
});
await releases.beat();

process.once('message', () => {
  void work();
});
process.send?.('ready');

async function work(): Promise<void> {
  let visited = 0;
  for (let more = await releases.sweep(); more > 0; more = await releases.sweep()) visited += more;
  const { user, system } = process.cpuUsage();
  process.send?.({ visited, cpuMs: (user + system) / 1_000 });
  await queue.stop();
  await close();
  process.disconnect();
}
