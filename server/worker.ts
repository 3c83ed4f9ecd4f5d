import { registerNotificationJobs } from '#server/features/notifications/notifications.jobs.ts';
import { createReleaseWorker, type ReleaseWorker } from '#server/features/release/release.jobs.ts';
import type { Installation } from './installation.ts';

/** Everything that happens without a request. */
export type Worker = { close(): Promise<void> };

const housekeepingEveryMs = 3_600_000;

/** Starts the clockwork of releases and mail, the wake-ups, and the housekeeping. */
export async function startWorker(installation: Installation): Promise<Worker> {
  const { services, queue, log } = installation;
  const worker = clockwork(installation);
  worker.start();
  await registerNotificationJobs(queue, services.notifications);

  const timer = setInterval(() => {
    keepHouse(installation).catch((err: unknown) => log.error({ err }, 'the housekeeping failed'));
  }, housekeepingEveryMs);
  return {
    async close() {
      clearInterval(timer);
      await worker.stop();
    },
  };
}

/** The regular round, for the worker and for `everkept tick`. */
export function clockwork({ services, settings, clock, log }: Installation): ReleaseWorker {
  const { releases, notifications, deliveries } = services;
  return createReleaseWorker({ releases, notifications, deliveries, clock, tickSeconds: settings.tickSeconds, log });
}

/** Removes what has ended and is of no more use: what sent messages held, and files that nothing refers to. */
async function keepHouse({ services }: Installation): Promise<void> {
  while ((await services.notifications.purge()) > 0);
  while ((await services.files.sweep()) > 0);
}
