import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** Short at first, for most outages of a database are a restart. */
const firstWaitMs = 250;
const longestWaitMs = 5_000;

/** Ends retries when a process stops. One listener per message that is being sent is no leak. */
export function stoppingSignal(): AbortController {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  return stopping;
}

/**
 * Retries work that a short database outage must not lose, until it succeeds or until `untilMs` (of
 * `performance.now()`), after which it is useless. Then it throws the last error. On abort of `stopping` each waiter
 * makes one last attempt.
 */
export async function retryUntil<Result>(
  act: () => Promise<Result>,
  { untilMs, stopping }: { untilMs: number; stopping: AbortSignal },
): Promise<Result> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await act();
    } catch (error) {
      if (stopping.aborted || performance.now() + waitMs >= untilMs) throw error;
    }
    await wait(waitMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}
