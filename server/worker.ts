import { openBackupPlace } from '#server/features/backup/backup-places.ts';
import { createBounceMailbox } from '#server/features/bounces/bounce-mailbox.service.ts';
import { tellOfUnreadMail } from '#server/features/bounces/unread-mail.ts';
import { reportsStored } from '#server/features/integrity/integrity.ts';
import { noteLook } from '#server/features/service-health/alerts.ts';
import type { Installation } from './installation.ts';
import { listenForWakes } from './platform/db/wakes.ts';
import { createTaskRunner, type TaskRunner } from './platform/tasks/task-runner.ts';
import { type TaskApp, tasksOf } from './tasks.ts';

/** Runs the tasks of this process. */
export type Worker = Pick<TaskRunner, 'trouble' | 'idleSeconds'> & { close(): Promise<void> };

/** Starts the tasks that are for processes of this role. Workers also listen for wake-ups. */
export async function startWorker(installation: Installation): Promise<Worker> {
  const { services, settings, pool, pooler, log } = installation;
  const isWorker = settings.role !== 'web';
  const app: TaskApp = {
    ...installation,
    bounceMailbox: isWorker ? bounceMailboxOf(installation) : null,
    backupPlace: isWorker ? await backupPlaceOf(installation) : null,
  };
  const runner = createTaskRunner({ app, tasks: tasksOf(settings), log });
  const stopping = new AbortController();
  const listening = isWorker
    ? listenForWakes({ pool, pooler, onWake: runner.wake, log }, stopping.signal)
    : Promise.resolve();
  runner.start();
  return {
    trouble: runner.trouble,
    idleSeconds: runner.idleSeconds,
    async close() {
      stopping.abort();
      services.notifications.stopRetrying();
      await Promise.all([runner.stop(), listening]);
      await reportsStored(installation);
    },
  };
}

/** Runs rounds by hand: for `everkept tick`, the test clock and the demonstration. */
export function roundsOf(installation: Installation): Pick<TaskRunner, 'tick' | 'nextDueAt'> {
  const { settings, log } = installation;
  const app: TaskApp = { ...installation, bounceMailbox: null, backupPlace: null };
  return createTaskRunner({ app, tasks: tasksOf({ ...settings, role: 'worker' }), log });
}

/** Reads the mailbox in which mails come back, if one is set. */
function bounceMailboxOf(installation: Installation): TaskApp['bounceMailbox'] {
  const { services, settings, db, clock, serviceKeys, log } = installation;
  const { mailboxUrl } = settings.bounces;
  if (mailboxUrl === undefined) return null;
  const { bounces, notifications } = services;
  const { adminEmail, http } = settings;
  return createBounceMailbox({
    db,
    clock,
    serviceKeys,
    bounces,
    noteLook: (trouble, look) => noteLook(installation, trouble, look),
    baseUrl: http.baseUrl,
    mailboxUrl,
    log,
    tellOperator: (mail, key) => tellOfUnreadMail({ db, clock, notifications, adminEmail }, mail, key),
  });
}

/** Opens the place of nightly backups. Null if none is set. */
async function backupPlaceOf({ settings }: Installation): Promise<TaskApp['backupPlace']> {
  const { to, s3 } = settings.backups;
  return to === undefined ? null : openBackupPlace({ to, s3 });
}
