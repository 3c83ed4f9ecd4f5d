import { performance } from 'node:perf_hooks';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { Alerts } from './alerts.service.ts';
import { findLastBeat } from './state.repository.ts';
import { silentSince, sureAfterMs } from './worker-watch.rules.ts';

/** How a process that serves the site watches the workers. */
export type WorkerWatch = {
  /** To be called again and again, about once a minute. */
  look(): Promise<void>;
};

export type WorkerWatchDependencies = {
  db: Database;
  clock: Clock;
  alerts: Pick<Alerts, 'noteLook'>;
  /** This process's own clock, which nobody can set and which stands still while the machine sleeps. */
  monotonicMs?: () => number;
};

/** One watch. Each process has its own, since it raises its voice only at what it has seen itself for a while. */
export function createWorkerWatch({
  db,
  clock,
  alerts,
  monotonicMs = () => performance.now(),
}: WorkerWatchDependencies): WorkerWatch {
  let watchedSinceMs: number | null = null;
  let seenSilentAtMs: number | null = null;

  return {
    async look() {
      const nowMs = (await clock.now()).getTime();
      watchedSinceMs ??= nowMs;
      const lastBeat = await findLastBeat(db);
      const troubledSinceMs = silentSince({ lastBeatMs: lastBeat?.getTime() ?? null, watchedSinceMs, nowMs });
      if (troubledSinceMs === null) {
        seenSilentAtMs = null;
        // Where no worker ever ran there is nothing that could be well again.
        if (lastBeat) await alerts.noteLook('worker', { troubledSinceMs: null });
        return;
      }
      const upMs = monotonicMs();
      seenSilentAtMs ??= upMs;
      if (upMs - seenSilentAtMs >= sureAfterMs) await alerts.noteLook('worker', { troubledSinceMs });
    },
  };
}
