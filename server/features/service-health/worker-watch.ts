import { type App, perApp } from '#server/app.ts';
import { noteLook } from './alerts.ts';
import { findLastBeat } from './state.repository.ts';
import { silentSince, sureAfterMs } from './worker-watch.rules.ts';

/** Observations of this process. It reports only a silence that it has seen for a while itself. */
const seenOf = perApp(() => ({ watchedSinceMs: null as number | null, silentAtMs: null as number | null }));

/** Checks for a process that serves the site if a worker runs. The operator is emailed if all workers are silent. */
export async function watchWorker(app: App): Promise<void> {
  const seen = seenOf(app);
  const nowMs = (await app.clock.now()).getTime();
  seen.watchedSinceMs ??= nowMs;
  const lastBeat = await findLastBeat(app.db);
  const lastBeatMs = lastBeat?.getTime() ?? null;
  const troubledSinceMs = silentSince({ lastBeatMs, watchedSinceMs: seen.watchedSinceMs, nowMs });
  if (troubledSinceMs === null) {
    seen.silentAtMs = null;
    // If no worker has ever run, none can be well again.
    if (lastBeat) await noteLook(app, 'worker', { troubledSinceMs: null });
    return;
  }
  const upMs = app.monotonicMs();
  seen.silentAtMs ??= upMs;
  if (upMs - seen.silentAtMs >= sureAfterMs) await noteLook(app, 'worker', { troubledSinceMs });
}
