import { setTimeout as delay } from 'node:timers/promises';

export type Pace = {
  /** Waits as long as these bytes may take. */
  spend(bytes: number): Promise<void>;
  stop: AbortSignal | undefined;
};

/** Reads at most so much a second, over all the time since it began. */
export function paceOf(bytesPerSecond: number, stop?: AbortSignal): Pace {
  const startedMs = performance.now();
  let bytes = 0;
  return {
    stop,
    async spend(more) {
      bytes += more;
      const aheadMs = (bytes / bytesPerSecond) * 1_000 - (performance.now() - startedMs);
      stop?.throwIfAborted();
      if (aheadMs > 0) await delay(aheadMs, undefined, stop && { signal: stop });
    },
  };
}
