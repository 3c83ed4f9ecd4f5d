const minuteMs = 60_000;

/** A worker that was not heard of for so long has stopped; it beats once a minute, and healthy time ends here too. */
export const workerSilentMs = 15 * minuteMs;
/**
 * Whoever watches has to have found it so for this long by their own clock. A machine that was asleep, or was started with
 * its worker a moment ago, finds an old heartbeat first.
 */
export const sureAfterMs = 3 * minuteMs;

export type WorkerLook = {
  lastBeatMs: number | null;
  /** When this process began to watch: where no worker ever ran, the silence begins here. */
  watchedSinceMs: number;
  nowMs: number;
};

/** Since when no worker has been heard of; null while one is. */
export function silentSince({ lastBeatMs, watchedSinceMs, nowMs }: WorkerLook): number | null {
  const heardMs = lastBeatMs ?? watchedSinceMs;
  return nowMs - heardMs >= workerSilentMs ? heardMs : null;
}
