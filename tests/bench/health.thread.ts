import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { url, askEveryMs } = workerData as { url: string; askEveryMs: number };
let isOver = false;
parentPort?.once('message', () => {
  isOver = true;
});

// The first asks for more: the code that fetches, and a connection.
await (await fetch(`${url}/healthz`)).text();
parentPort?.postMessage('asking');
let slowestMs = 0;
// At least once, so that there is a figure.
do {
  const begunMs = performance.now();
  await (await fetch(`${url}/healthz`)).text();
  slowestMs = Math.max(slowestMs, performance.now() - begunMs);
  await setTimeout(askEveryMs);
} while (!isOver);
parentPort?.postMessage(slowestMs);
