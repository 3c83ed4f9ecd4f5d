import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const askEveryMs = 20;

/**
 * Asks for the health of a site until `end`, at least once. `end` gives the longest wait in milliseconds. A thread asks,
 * because this one is busy with sending megabytes.
 */
export async function askForHealth(url: string): Promise<{ end(): Promise<number> }> {
  const asking = new Worker(new URL('./health.thread.ts', import.meta.url), { workerData: { url, askEveryMs } });
  await once(asking, 'message');
  return {
    async end() {
      asking.postMessage('end');
      const [slowestMs] = await once(asking, 'message');
      if (!(slowestMs > 0)) throw new Error('No request for /healthz was timed.');
      return slowestMs;
    },
  };
}
