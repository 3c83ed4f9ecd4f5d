import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 500;

/**
 * Resolves when this process is asked to stop. `npm start` starts a shell that starts this process, and neither passes
 * a signal on. So the end of the parent process also counts as a request to stop.
 */
export async function stopSignal(): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const asked = ['SIGINT', 'SIGTERM'].map((name) => once(process, name, { signal }));
  const left = process.env.npm_lifecycle_event === undefined ? [] : [parentIsGone(signal)];
  await Promise.race([...asked, ...left]);
  stop.abort();
}

async function parentIsGone(signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  // The timer does not keep the process alive. A stop that comes first aborts it, and its error is ignored.
  while (process.ppid === parent) await sleep(lookEveryMs, undefined, { signal, ref: false });
}
