import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogTask } from './watchdog.ts';
import { readBoard } from './work-board.ts';

const { buffer, limitMs, checkEveryMs } = workerData as WatchdogTask;
const standardOutput = 1;
const fatalLevel = 60;

let beats = readBoard(buffer).beats;
let stillMs = 0;

setInterval(() => {
  const reading = readBoard(buffer);
  if (reading.beats !== beats) {
    beats = reading.beats;
    stillMs = 0;
    return;
  }
  // A turn counts for its interval, however late it comes: a machine that slept for hours adds one.
  stillMs += checkEveryMs;
  if (stillMs < limitMs) return;
  // The log of the process needs its event loop, so the line is written here, as pino writes it.
  const line = {
    level: fatalLevel,
    time: new Date().toISOString(),
    entered: reading.latest ?? 'nothing',
    running: reading.open,
    stillMs,
    msg: 'the event loop stands still, so this process ends',
  };
  try {
    writeSync(standardOutput, `${JSON.stringify(line)}\n`);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}, checkEveryMs);
