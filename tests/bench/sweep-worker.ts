/**
 * One worker process that sweeps an existing database until no owner is due. It reports when it is ready, starts on a
 * message, and reports the number of visited owners.
 *
 * Usage: fork('tests/bench/sweep-worker.ts', [DATABASE_CONFIG_JSON, MASTER_KEY_HEX])
 */
import type pg from 'pg';
import { pino } from 'pino';
import { openApp } from '#server/app.ts';
import { sweepReleases } from '#server/features/release/release-sweep.ts';
import { recordHeartbeat } from '#server/features/release-health/health.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { registerReactions } from '#server/reactions.ts';
import { testSettings } from '#tests/support/installation/test-settings.ts';

const maxConnections = 20;

const [config = '{}', keyHex = ''] = process.argv.slice(2);
const connection: pg.PoolConfig = JSON.parse(config);
const key = Buffer.from(keyHex, 'hex');
const masterKeys = { current: { version: 1, key }, find: () => key };
const rethrow = (error: Error): never => {
  throw error;
};

const ground = { ...openDatabase({ connection, maxConnections, onError: rethrow }), log: pino({ level: 'silent' }) };
const app = await openApp(testSettings({ BASE_URL: 'https://everkept.example', TRUST_PROXY: '127.0.0.1' }), {
  given: {
    ...{ ground, masterKeys },
    mailer: createMemoryMailer(),
    texter: createMemoryTexter(),
    store: createMemoryStore(),
    scanner: noScanner,
    ledger: createMemoryLedger(),
  },
});
registerReactions(app);
await recordHeartbeat(app);

process.once('message', () => {
  void work();
});
process.send?.('ready');

async function work(): Promise<void> {
  let visited = 0;
  for (let more = await sweepReleases(app); more > 0; more = await sweepReleases(app)) visited += more;
  const { user, system } = process.cpuUsage();
  process.send?.({ visited, cpuMs: (user + system) / 1_000 });
  await app.close();
  process.disconnect();
}
