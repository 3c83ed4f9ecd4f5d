import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureServerBundle } from '#build/build.ts';
import { productName } from '#shared/product.ts';
import { uncaughtExitCode } from './platform/running-work/running-work.ts';
import { stopSignal } from './stop-signal.ts';

/** More restarts within the window mean that a restart does not help. */
const restarts = { max: 5, windowMs: 600_000, pauseMs: 1_000 };
/** Set for the process that does the work, so that it does not start another one. */
const keptMark = 'EVERKEPT_KEPT';

type Ended = { code: number | null; signal: NodeJS.Signals | null };

/**
 * True for `npm start` and for the first process of a container, which have no service manager that starts them again.
 * The kernel also lets no first process end itself with a signal, as the watchdog does.
 */
export function isKeeper(words: readonly string[]): boolean {
  // There, a stop cannot be passed on: it would end the service in the middle of its work.
  if (process.platform === 'win32' || process.env[keptMark] !== undefined) return false;
  return words[0] === 'serve' && (process.env.npm_lifecycle_event === 'start' || process.pid === 1);
}

/** Runs the service in a process of its own, and starts it again if it ends by its watchdog or an uncaught error. */
export async function keepRunning(script: string, words: readonly string[]): Promise<number> {
  await ensureServerBundle({ log: console.log });
  const startedMs: number[] = [];
  const stop = { isAsked: false };
  for (;;) {
    startedMs.push(performance.now());
    const { code, signal } = await runOnce(script, words, stop);
    if (stop.isAsked || !isRestarted({ code, signal })) return code ?? 1;
    const since = performance.now() - restarts.windowMs;
    if (startedMs.filter((at) => at > since).length > restarts.max) {
      console.error(`${productName} ended ${restarts.max + 1} times in ten minutes, so it is not started again.`);
      return 1;
    }
    console.error(`${productName} ended unexpectedly (${signal ?? code}), so it starts again.`);
    await Promise.race([sleep(restarts.pauseMs), stopSignal().then(() => (stop.isAsked = true))]);
    if (stop.isAsked) return 0;
  }
}

function isRestarted({ code, signal }: Ended): boolean {
  return signal === 'SIGKILL' || code === uncaughtExitCode;
}

async function runOnce(script: string, words: readonly string[], stop: { isAsked: boolean }): Promise<Ended> {
  const child = spawn(process.execPath, [...process.execArgv, script, ...words], {
    stdio: 'inherit',
    env: { ...process.env, [keptMark]: '1' },
    // A terminal would send Ctrl+C to both, and two signals mean an impatient operator.
    detached: true,
  });
  const exited = once(child, 'exit');
  void passStops(child, stop, () => child.exitCode === null && child.signalCode === null);
  const [code, signal] = await exited;
  return { code, signal };
}

/** Passes each stop on, for as long as the service runs. */
async function passStops(
  child: { kill(signal: NodeJS.Signals): boolean },
  stop: { isAsked: boolean },
  isRunning: () => boolean,
): Promise<void> {
  while (isRunning()) {
    await stopSignal();
    stop.isAsked = true;
    child.kill('SIGTERM');
  }
}
