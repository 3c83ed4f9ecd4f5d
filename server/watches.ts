import { createClockWatch } from '#server/features/service-health/clock-watch.service.ts';
import { keepLooking } from '#server/features/service-health/service-health.jobs.ts';
import { createSiteWatch } from '#server/features/service-health/site-watch.service.ts';
import { createWorkerWatch } from '#server/features/service-health/worker-watch.service.ts';
import type { Installation } from './installation.ts';

type Needed = Pick<Installation, 'db' | 'clock' | 'log'> & {
  services: Pick<Installation['services'], 'alerts'>;
  settings: Pick<Installation['settings'], 'role'> & { http: Pick<Installation['settings']['http'], 'baseUrl'> };
};
type Pace = { everyMs?: number; monotonicMs?: () => number };

/**
 * Has the two halves of the service watch each other, as far as this process has a part in it (`ROLE`): whoever serves the site
 * watches the workers, and a worker asks the site at its public address and looks at the clock.
 */
export function startWatches(
  { services, settings, db, clock, log }: Needed,
  { everyMs, monotonicMs }: Pace = {},
): { close(): Promise<void> } {
  const { alerts } = services;
  const { role, http } = settings;
  const watches = [
    ...(role === 'worker' ? [] : [createWorkerWatch({ db, clock, alerts, ...(monotonicMs && { monotonicMs }) })]),
    ...(role === 'web'
      ? []
      : [createSiteWatch({ db, clock, alerts, baseUrl: http.baseUrl }), createClockWatch({ db, clock, alerts })]),
  ];
  const running = watches.map((watch) => keepLooking(watch, { ...(everyMs && { everyMs }), log }));
  return {
    async close() {
      await Promise.all(running.map((watch) => watch.close()));
    },
  };
}
