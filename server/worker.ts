import { openBackupPlace } from '#server/features/backup/backup-places.ts';
import { reportsStored } from '#server/features/integrity/integrity.ts';
import { stopRetrying } from '#server/features/notifications/notifications.dispatch.ts';
import type { App } from './app.ts';
import { listenForWakes } from './platform/db/wakes.ts';
import { createTaskRunner, type TaskRunner } from './platform/tasks/task-runner.ts';
import { type TaskApp, tasksOf } from './tasks.ts';

/** Runs the tasks of this process. */
export type Worker = Pick<TaskRunner, 'trouble' | 'idleSeconds'> & { close(): Promise<void> };

/** Starts the tasks that are for processes of this role. Workers also listen for wake-ups. */
export async function startWorker(installation: App): Promise<Worker> {
  const { settings, pool, pooler, log } = installation;
  const isWorker = settings.role !== 'web';
  const app: TaskApp = {
    ...installation,
    bounceMailboxUrl: isWorker ? (settings.bounces.mailboxUrl ?? null) : null,
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
      stopRetrying(installation);
      await Promise.all([runner.stop(), listening]);
      await reportsStored(installation);
    },
  };
}

/** Runs rounds by hand: for `everkept tick`, the test clock and the demonstration. */
export function roundsOf(installation: App): Pick<TaskRunner, 'tick' | 'nextDueAt'> {
  const { settings, log } = installation;
  const app: TaskApp = { ...installation, bounceMailboxUrl: null, backupPlace: null };
  return createTaskRunner({ app, tasks: tasksOf({ ...settings, role: 'worker' }), log });
}

/** Opens the place of nightly backups. Null if none is set. */
async function backupPlaceOf({ settings }: App): Promise<TaskApp['backupPlace']> {
  const { to, s3 } = settings.backups;
  return to === undefined ? null : openBackupPlace({ to, s3 });
}
