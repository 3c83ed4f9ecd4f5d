import { registerAdminJobs } from '#server/features/admin/admin.jobs.ts';
import { openBackupPlace } from '#server/features/backup/backup-places.ts';
import { createNightlyBackups } from '#server/features/backup/nightly-backup.service.ts';
import { registerBillingJobs } from '#server/features/billing/billing.jobs.ts';
import { createBounceMailbox } from '#server/features/bounces/bounce-mailbox.service.ts';
import { registerNotificationJobs } from '#server/features/notifications/notifications.jobs.ts';
import { createReleaseWorker, type ReleaseWorker } from '#server/features/release/release.jobs.ts';
import { keepLooking } from '#server/features/service-health/service-health.jobs.ts';
import type { Installation } from './installation.ts';
import { loadMasterKeys } from './platform/crypto/master-key.ts';
import { type WorkWatch, watchWork } from './work-watch.ts';

type Closing = { close(): Promise<void> };
/** Everything that happens without a request. */
export type Worker = Closing & Pick<WorkWatch, 'trouble' | 'idleSeconds'>;

const housekeepingEveryMs = 3_600_000;
/** How often the weekly check of what is sealed goes on for a few seconds. */
const checkEveryMs = 60_000;
/** How often the mailbox is read in which mails come back. */
const bouncesEveryMs = 5 * 60_000;
/** How often it is looked whether this night's backup is to be made. */
const backupsEveryMs = 5 * 60_000;

/** Starts the clockwork of releases and mail, the wake-ups, and the housekeeping. */
export async function startWorker(installation: Installation): Promise<Worker> {
  const { services, queue, log } = installation;
  const { worker, watch } = watchedClockwork(installation);
  worker.start();
  await registerNotificationJobs(queue, services.notifications);
  const stopNews = await registerAdminJobs(queue, services.bulkSender, log);
  await registerBillingJobs(queue, services.billing);

  const timer = setInterval(() => {
    keepHouse(installation).catch((err: unknown) => log.error({ err }, 'the housekeeping failed'));
  }, housekeepingEveryMs);
  const check = startCheck(installation);
  const bounces = startReadingBounces(installation);
  const backups = await startBackups(installation);
  return {
    trouble: watch.trouble,
    idleSeconds: watch.idleSeconds,
    async close() {
      clearInterval(timer);
      await check.close();
      await bounces?.close();
      await backups?.close();
      stopNews();
      installation.services.notifications.stopRetrying();
      await worker.stop();
    },
  };
}

/** Opens everything that is sealed once a week, a little at a time. A worker that is killed is replaced by the next. */
function startCheck({ services, log }: Installation): Closing {
  const stop = new AbortController();
  let checking: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    checking ??= services.integrityCheck
      .checkSome(stop.signal)
      .catch((err: unknown) => log.error({ err }, 'the check of what is sealed failed'))
      .finally(() => {
        checking = null;
      });
  }, checkEveryMs);
  return {
    async close() {
      clearInterval(timer);
      stop.abort();
      await checking;
      await services.integrity.settled();
    },
  };
}

/** Reads the mailbox in which mails come back, where there is one. */
function startReadingBounces({ services, settings, db, clock, derive, log }: Installation): Closing | null {
  const { mailboxUrl } = settings.bounces;
  if (mailboxUrl === undefined) return null;
  const { bounces, alerts, notifications } = services;
  const { adminEmail, http } = settings;
  const mailbox = createBounceMailbox({
    db,
    clock,
    serviceKeys: { derive },
    bounces,
    noteLook: alerts.noteLook,
    baseUrl: http.baseUrl,
    mailboxUrl,
    log,
    async tellOperator(mail, key) {
      if (!adminEmail) return;
      const cause = { kind: 'operator.unread-mail', userId: null, subjectId: null, dedupeKey: `unread-mail:${key}` };
      const at = await clock.now();
      await notifications.enqueue(db, { channel: 'email', ...cause, at, to: { address: adminEmail }, mail });
    },
  });
  return keepLooking(mailbox, { everyMs: bouncesEveryMs, log });
}

/** Makes a backup every night, where a place is named for them. */
async function startBackups(installation: Installation): Promise<Closing | null> {
  const { db, pool, clock, store, services, settings, log } = installation;
  const { to, s3, keep, recipient, identityFile } = settings.backups;
  if (to === undefined) return null;
  const place = await openBackupPlace({ to, s3 });
  const masterKeys = await loadMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
  const { noteLook } = services.alerts;
  const sealing = { recipient, identityFile, masterKeys };
  const backups = createNightlyBackups({ db, pool, clock, store, place, keep, ...sealing, noteLook, log });
  return keepLooking(backups, { everyMs: backupsEveryMs, log });
}

/** The regular round, for the worker and for `everkept tick`. */
export function clockwork(installation: Installation): ReleaseWorker {
  return watchedClockwork(installation).worker;
}

function watchedClockwork({ services, settings, clock, log }: Installation): {
  worker: ReleaseWorker;
  watch: WorkWatch;
} {
  const { releases, newAddresses, notifications, deliveries, billing, dailyRound: daily } = services;
  const { tickSeconds } = settings;
  const watch = watchWork({ releases, newAddresses, notifications, deliveries, billing, daily }, { log });
  return { worker: createReleaseWorker({ ...watch.watched, clock, tickSeconds, log }), watch };
}

/** Removes what has ended and is of no more use: what sent messages held, files that nothing refers to, half files. */
async function keepHouse({ services }: Installation): Promise<void> {
  while ((await services.notifications.purge()) > 0);
  while ((await services.files.sweep()) > 0);
  await services.billing.keepHouse();
  await services.files.removeUnfinished();
}
