import type { Billing } from '#server/features/billing/billing.service.ts';
import type { Deliveries } from '#server/features/delivery/delivery.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { failureNames } from '#server/platform/failure-names.ts';
import type { ReleaseLog, Releases } from './release.service.ts';

export type ReleaseWorkerOptions = {
  releases: Pick<Releases, 'sweep' | 'beat'>;
  /** Addresses that were proposed, and have waited for their time. */
  newAddresses: { sendWaited(): Promise<number> };
  notifications: Pick<Notifications, 'dispatchDue'>;
  deliveries: Pick<Deliveries, 'sendDue'>;
  /** What is done once a day besides; it knows itself when that is. Left out where a test is not about it. */
  daily?: (() => Promise<unknown>) | undefined;
  /** Left out where nothing is sold. */
  billing?: Pick<Billing, 'workDue'>;
  clock: Clock;
  tickSeconds: number;
  log: ReleaseLog;
};

export type Ticked = { steps: number; sent: number };

export type ReleaseWorker = {
  start(): void;
  /** Waits for the round under way; nothing begins afterwards. */
  stop(): Promise<void>;
  /** Does one round of what is due now. Throws what failed, after everything else was tried. */
  tick(): Promise<Ticked>;
  /** When the last round ended without a failure; `null` before the first. Milliseconds since 1970, real time. */
  lastTickMs(): number | null;
};

/** The heartbeat's own rhythm, whatever the rhythm of the sweep. Well within the gap that counts as an outage. */
const beatEveryMs = 60_000;
/** A round ends here even if more is due; the next one goes on. */
const passesMax = 50;

/**
 * The worker's clockwork: a heartbeat each minute, and every `tickSeconds` a round of sweeping and sending. In one
 * process no two rounds run at once; processes share the work through row locks.
 */
export function createReleaseWorker(options: ReleaseWorkerOptions): ReleaseWorker {
  const { releases, newAddresses, notifications, deliveries, daily, billing, clock, tickSeconds, log } = options;
  let lastBeatMs = Number.NEGATIVE_INFINITY;
  let lastTickMs: number | null = null;

  const beat = once(async () => {
    if (performance.now() - lastBeatMs < beatEveryMs / 2) return;
    await releases.beat();
    lastBeatMs = performance.now();
  });

  const tick = once(async () => {
    await beat();
    const done: Ticked = { steps: 0, sent: 0 };
    const { run, end } = createParts();
    for (let pass = 0; pass < passesMax; pass += 1) {
      const swept = await run('sweep', () => releases.sweep());
      const waited = await run('sendWaited', () => newAddresses.sendWaited());
      const worked = await run('billing', async () => (await billing?.workDue()) ?? 0);
      const dispatched = await run('dispatchDue', () => notifications.dispatchDue());
      const reminded = await run('sendDue', async () => deliveries.sendDue(await clock.now()));
      const steps = swept + waited + worked;
      const sent = dispatched + reminded;
      done.steps += steps;
      done.sent += sent;
      if (steps + sent === 0) break;
    }
    await run('daily', async () => {
      await daily?.();
      return 0;
    });
    end();
    lastTickMs = Date.now();
    return done;
  });

  const loops = [
    createLoop(beat, { everyMs: beatEveryMs, name: 'heartbeat', log }),
    createLoop(tick, { everyMs: tickSeconds * 1_000, name: 'round', log }),
  ];

  return {
    tick,
    lastTickMs: () => lastTickMs,
    start() {
      for (const loop of loops) loop.start();
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** Callers who come while it runs share the run that is under way. */
function once<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | null = null;
  return () => {
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
}

/** The parts of a round: one that fails keeps no other from being done, and is left alone until the next round. */
function createParts() {
  const failures = new Map<string, unknown>();
  return {
    async run(name: string, part: () => Promise<number>): Promise<number> {
      if (failures.has(name)) return 0;
      try {
        return await part();
      } catch (error) {
        failures.set(name, error);
        return 0;
      }
    },
    /** Throws what failed. */
    end(): void {
      const [first, ...others] = failures.values();
      if (others.length > 0) throw new AggregateError([first, ...others], 'Several parts of the round failed.');
      if (failures.size > 0) throw first;
    },
  };
}

/** Runs at once and then `everyMs` after each run has ended. A failure is written down and the next run comes all the same. */
function createLoop(
  run: () => Promise<unknown>,
  { everyMs, name, log }: { everyMs: number; name: string; log: ReleaseLog },
) {
  let timer: NodeJS.Timeout | null = null;
  let current: Promise<void> = Promise.resolve();
  let isStopped = true;

  async function runOnce(): Promise<void> {
    try {
      await run();
    } catch (error) {
      log.error({ failure: failureNames(error), loop: name }, 'The worker failed at its task.');
    }
    if (!isStopped) schedule(everyMs);
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(() => {
      current = runOnce();
    }, afterMs);
  }

  return {
    start(): void {
      if (!isStopped) return;
      isStopped = false;
      schedule(0);
    },
    async stop(): Promise<void> {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await current;
    },
  };
}
