import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { board } from './running-work.ts';

export type WatchdogTask = { buffer: SharedArrayBuffer; limitMs: number; checkEveryMs: number };

/** An event loop that stands still for this long hangs: no work of ours keeps it for a tenth of that. */
const usualLimitMs = 60_000;
const checksPerLimit = 60;
const threadHeapMb = 16;

type Log = { warn(details: object, message: string): void };

/**
 * Starts a thread that ends this process if its event loop stands still for `limitMs`, so that a supervisor starts it
 * again. The thread counts its own turns: neither runs while the machine sleeps or the process is stopped, so that time
 * does not count. A debugger holds the event loop on purpose, so no thread is started beside one.
 */
export function startWatchdog(log: Log, { limitMs = usualLimitMs } = {}): { close(): Promise<void> } {
  if (inspector.url() !== undefined) return { close: async () => undefined };
  const checkEveryMs = Math.ceil(limitMs / checksPerLimit);
  const task: WatchdogTask = { buffer: board.buffer, limitMs, checkEveryMs };
  board.beat();
  const beat = setInterval(board.beat, checkEveryMs).unref();
  const thread = new Worker(new URL('./watchdog.thread.ts', import.meta.url), {
    workerData: task,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: threadHeapMb },
  });
  thread.unref();
  thread.on('error', (err) => log.warn({ err }, 'the watchdog ended, so a hanging process would not be ended'));
  return {
    async close() {
      clearInterval(beat);
      await thread.terminate();
    },
  };
}
