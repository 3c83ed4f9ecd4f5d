import { once } from 'node:events';
import { setInterval as every } from 'node:timers/promises';

const lookEveryMs = 500;

/**
 * Ends when this process is asked to stop. `npm start` starts a shell that starts us, and neither passes a signal on: where the
 * process that npm gave us to is gone, we were meant.
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
  // Not kept alive by this, and not ended by it either: a stop that comes first ends the waiting with an error nobody needs.
  for await (const _ of every(lookEveryMs, undefined, { signal, ref: false })) if (process.ppid !== parent) return;
}
