import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const askEveryMs = 20;

/**
 * Asks for the health of a site again and again until `end`, which gives the longest wait in milliseconds: in a thread of its
 * own, since this one is busy with sending megabytes.
 */
export function askForHealth(url: string): { end(): Promise<number> } {
  const asking = new Worker(new URL('./health.thread.ts', import.meta.url), { workerData: { url, askEveryMs } });
  return {
    async end() {
      asking.postMessage('end');
      const [slowestMs] = await once(asking, 'message');
      return slowestMs;
    },
  };
}
