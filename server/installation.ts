import { type DestinationStream, type Logger, pino } from 'pino';
import { adminJobs } from '#server/features/admin/admin.jobs.ts';
import { billingJobs } from '#server/features/billing/billing.jobs.ts';
import { notificationJobs } from '#server/features/notifications/notifications.jobs.ts';
import { loggerOptions } from '#server/http/logging.ts';
import { createRateLimits, type RateLimits } from '#server/http/rate-limits.ts';
import { type Clock, createDatabaseClock } from '#server/platform/clock/clock.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys, type ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { connectionTo } from '#server/platform/db/connection.ts';
import { type OpenDatabase, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { findPooler } from '#server/platform/db/find-pooler.ts';
import type { Pooler } from '#server/platform/db/limits.ts';
import { migrateDatabase, requireTables } from '#server/platform/db/migrate.ts';
import { type FileStore, openFileStore } from '#server/platform/files/file-store.ts';
import { openIdentityProviders } from '#server/platform/identity/identity-provider.ts';
import { createFileLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { openMailer } from '#server/platform/mail/mailer.ts';
import { openPayments } from '#server/platform/payments/payments.ts';
import { createPgBossQueue } from '#server/platform/queue/pg-boss-queue.ts';
import type { Queue } from '#server/platform/queue/queue.ts';
import { openScanner } from '#server/platform/scanner/scanner.ts';
import { openTextReplies } from '#server/platform/sms/text-replies.ts';
import { openTexter } from '#server/platform/sms/texter.ts';
import { createServices, type Services } from './services.ts';
import type { Settings } from './settings.ts';

/** A migrated database and the log: what every command needs. */
export type Ground = OpenDatabase & { log: Logger };

/** Everything this process works with, opened in order and closed in the reverse one. */
export type Installation = Ground & {
  settings: Settings;
  services: Services;
  clock: Clock;
  queue: Queue;
  limits: RateLimits;
  store: FileStore;
  /** Makes values that only a holder of the master key can make. */
  derive: ServiceKeys['derive'];
};

export type Opening = {
  logTo?: DestinationStream;
  /**
   * Whether tables are brought up to this release, which only what serves and `everkept migrate` do; have to be of this
   * release; or may be of any that came before it.
   */
  tables?: 'migrated' | 'required' | 'any';
};

/**
 * Opens the database, the embedded one where no other is configured; an empty one is made ready in any case. Lines of the
 * log go beside the answer of a command, which other programs may read from its standard output.
 */
export async function openGround(
  settings: Settings,
  { logTo = process.stderr, tables = 'required' }: Opening = {},
): Promise<Ground> {
  const log = pino(loggerOptions({ level: settings.logLevel }), logTo);
  const database = await openServer(settings, log);
  let pooler: Pooler;
  try {
    const migration = { connection: database.connection, log: (sentence: string) => log.warn(sentence) };
    if (tables === 'migrated') await migrateDatabase(migration);
    else await requireTables({ ...migration, anyRelease: tables === 'any' });
    pooler = settings.database.pooler ?? (settings.databaseUrl ? await findPooler(database.connection) : 'none');
  } catch (error) {
    await database.stop();
    throw error;
  }
  if (pooler !== 'none') log.info({ pooler }, 'there is a pooler in front of the database');
  const { limits, poolSize: maxConnections } = settings.database;
  const opened = openDatabase({
    connection: database.connection,
    maxConnections,
    limits,
    pooler,
    onError: (err) => log.warn({ err }, 'a database connection broke'),
    onSilent: (connections) =>
      log.error(
        { connections },
        'connections to the database went silent and were given up; their work goes on over new ones',
      ),
  });
  return {
    ...opened,
    log,
    async close() {
      await opened.close();
      await database.stop();
    },
  };
}

/** The server to work with, started where it is ours. Its database may be of any version, or empty. */
export async function openServer(settings: Settings, log: Logger) {
  if (settings.databaseUrl !== undefined) {
    return { connection: connectionTo(settings.databaseUrl), stop: async () => {} };
  }
  return startEmbeddedPostgres({ dataDir: settings.dataDir, log: (sentence) => log.info(sentence) });
}

/** Opens everything on top of the ground: keys, clock, mail, texts, queue, and the services of every feature. */
export async function openInstallation(settings: Settings, opening: Opening = {}): Promise<Installation> {
  const ground = await openGround(settings, opening);
  const opened: { close(): Promise<void> }[] = [ground];
  const closeAll = async () => {
    for (const part of opened.reverse()) await part.close();
  };
  try {
    const masterKeys = await loadMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
    const mailer = await openMailer(settings.mail);
    opened.push(mailer);
    const texter = await openTexter({ twilio: settings.sms });
    opened.push(texter);
    const store = await openFileStore(settings);
    opened.push(store);
    const queue = createPgBossQueue({
      pool: ground.pool,
      jobs: [...notificationJobs, ...adminJobs, ...billingJobs],
      onError: (err) => ground.log.warn({ err }, 'the job queue met an error'),
      onWarning: (message) => ground.log.debug({ message }, 'the job queue says'),
    });
    await queue.start();
    opened.push({ close: () => queue.stop() });

    const clock = createDatabaseClock(ground.db, { testClock: settings.testClock });
    const limits = createRateLimits({ db: ground.db });
    const serviceKeys = await createServiceKeys(ground.db, masterKeys);
    const { baseUrl } = settings.http;
    const sandboxGround = { baseUrl, derive: serviceKeys.derive, now: () => clock.now() };
    const services = createServices({
      db: ground.db,
      log: ground.log,
      clock,
      masterKeys,
      serviceKeys,
      payments: await openPayments(settings, sandboxGround),
      mailer,
      texter,
      textReplies: await openTextReplies({ twilio: settings.sms }),
      queue,
      store,
      scanner: await openScanner(settings),
      ledger: createFileLedger({ path: settings.deletionLedger }),
      identityProviders: await openIdentityProviders(settings.identityProviders),
      limits,
      baseUrl,
      mailFrom: settings.mail.from,
      bounceAddress: settings.bounces.address,
      adminEmail: settings.adminEmail ?? null,
      isBackupSetUp: settings.backups.to !== undefined,
      answerDaysDefault: settings.releaseGraceDays,
    });
    await services.erasures.applyLedger();
    return { ...ground, settings, services, clock, queue, limits, store, derive: serviceKeys.derive, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
