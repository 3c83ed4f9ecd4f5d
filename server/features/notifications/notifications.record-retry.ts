import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** Short at first, for most outages of a database are a restart. */
const firstWaitMs = 250;
const longestWaitMs = 5_000;

/**
 * Does what must not be lost because the database is away for a while: again and again until it succeeds, or until the
 * moment (of `performance.now()`) after which it would be of no use. Then it throws what the last try threw.
 */
export type RetryUntil = <Result>(act: () => Promise<Result>, untilMs: number) => Promise<Result>;

/** `stopping` ends the waiting: whoever waits tries once more at once, and that was all. */
export function createRecordRetry(stopping: AbortSignal): RetryUntil {
  // As many wait as messages are under way, which is no leak.
  setMaxListeners(0, stopping);
  return async (act, untilMs) => {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      try {
        return await act();
      } catch (error) {
        if (stopping.aborted || performance.now() + waitMs >= untilMs) throw error;
      }
      await wait(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  };
}
