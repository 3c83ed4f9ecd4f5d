import { setTimeout as sleep } from 'node:timers/promises';
import { failureNames } from '#server/platform/failure-names.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { Task, TaskGround } from './task.ts';
import { type LeasePace, watchTasks } from './task-watch.ts';

export type TaskRunner = {
  start(): void;
  /** Runs a task now. */
  wake(name: string): void;
  /** Waits for runs that have begun. No run begins afterwards. */
  stop(): Promise<void>;
  /** Runs the tasks of a round until nothing is due, and with `daily` also the daily tasks that are due. */
  tick(options?: { daily?: boolean }): Promise<ReadonlyMap<string, number>>;
  /** Earliest time for which a task of a round has something to do; null if none has. */
  nextDueAt(now: Date): Promise<Date | null>;
  /** A sentence about an essential task that hangs or fails; null if all is well. */
  trouble(): string | null;
  /** Seconds since every essential task has succeeded. */
  idleSeconds(): number;
};

type Options<App> = {
  app: App;
  tasks: readonly Task<App>[];
  log: { error(details: object, message: string): void };
  nowMs?: () => number;
  /** Pace of the leases; quicker in tests. */
  pace?: LeasePace;
};

/** A round ends after this number of passes even if more is due. The next round continues. */
const passesMax = 50;
/** A lane that is woken again and again rests for this time after `passesMax` runs. */
const restMs = 1_000;
/** Interval at which a process checks for leases that have expired. */
const leaseCheckMs = 5 * 60_000;

const isDaily = <App>({ everyMs }: Task<App>) => everyMs >= dayMs;

/** The one engine for everything that no request causes. Daily tasks take turns, in the order of the list. */
export function createTaskRunner<App extends TaskGround>(options: Options<App>): TaskRunner {
  const { app, tasks, log, nowMs = () => performance.now(), pace } = options;
  const stopping = new AbortController();
  const watch = watchTasks(app, { tasks, stop: stopping.signal, nowMs, pace });
  const round = tasks.filter(({ inRound }) => inRound);
  const daily = tasks.filter(isDaily);
  const first = tasks.filter(({ beforeRound }) => beforeRound);

  /** Failures are logged; the next run comes anyway. */
  async function runDue(own: readonly Task<App>[]): Promise<{ hasMore: boolean }> {
    let hasMore = false;
    const fail = (names: string, error: unknown) =>
      log.error({ task: names, failure: failureNames(error) }, 'A task failed.');
    const due = await watch.due(own).catch((error: unknown) => {
      fail(own.map(({ name }) => name).join(', '), error);
      return [];
    });
    for (const { task, run } of due) {
      if (stopping.signal.aborted) break;
      const done = await run().catch((error: unknown) => {
        fail(task.name, error);
        return 0;
      });
      // Another process is at this place of the list.
      if (done === null) break;
      if (done > 0 && task.inRound) hasMore = true;
    }
    return { hasMore };
  }

  const lanes = [...tasks.filter((task) => !isDaily(task)).map((task) => [task]), ...(daily.length ? [daily] : [])].map(
    (own) =>
      createLane({
        tasks: own,
        isStopped: () => stopping.signal.aborted,
        async run() {
          if ((await runDue(own)).hasMore) wakeLanes(({ inRound }) => inRound === true);
        },
      }),
  );
  const wakeLanes = (isWoken: (task: Task<App>) => boolean) => {
    for (const lane of lanes) if (lane.tasks.some(isWoken)) lane.wake();
  };

  const tick = shared(async (withDaily: boolean) => {
    for (const task of first) if (watch.sinceMs(task) >= task.everyMs / 2) await watch.run(task);
    const counts = new Map<string, number>();
    // First, so that the round sends the mails that daily tasks write.
    if (withDaily) await runDue(daily);
    const failures = await runRound(round, watch.run, counts);
    if (failures.length > 1) throw new AggregateError(failures, 'Several tasks of the round failed.');
    if (failures.length > 0) throw failures[0];
    return counts;
  });

  let living: Promise<unknown> = Promise.resolve();
  return {
    start() {
      // An outage must be known before a task of a round decides anything.
      living = runDue(first).then(() => Promise.all(lanes.map((lane) => lane.live())));
    },
    wake: (name) => wakeLanes((task) => task.name === name),
    async stop() {
      stopping.abort();
      for (const lane of lanes) lane.wake();
      await living;
    },
    tick: ({ daily: withDaily = true } = {}) => tick(withDaily),
    nextDueAt: async (now) => earliest(await Promise.all(round.map((task) => task.nextDueAt?.(app, now) ?? null))),
    trouble: watch.trouble,
    idleSeconds: watch.idleSeconds,
  };
}

type LaneOptions<App> = { tasks: readonly Task<App>[]; run: () => Promise<void>; isStopped: () => boolean };

/** Runs tasks one after another, again after their interval, or as soon as one is woken. */
function createLane<App>({ tasks, run, isStopped }: LaneOptions<App>) {
  const isLeased = tasks.some(({ oncePer }) => oncePer === 'installation');
  const everyMs = Math.min(...tasks.map((task) => task.everyMs), ...(isLeased ? [leaseCheckMs] : []));
  // At the start of a process, the other half of the service may not answer yet.
  const waitsFirst = tasks.every(({ oncePer, inRound }) => oncePer === 'process' && !inRound);
  let isWoken = !waitsFirst;
  let waking = new AbortController();
  return {
    tasks,
    wake() {
      isWoken = true;
      waking.abort();
    },
    async live(): Promise<void> {
      for (let runs = 1; ; runs = isWoken ? runs + 1 : 1) {
        waking = new AbortController();
        if (!isWoken) await sleep(everyMs, undefined, { signal: waking.signal }).catch(() => undefined);
        else if (runs % passesMax === 0) await sleep(restMs);
        if (isStopped()) return;
        isWoken = false;
        await run();
      }
    },
  };
}

/** If a task fails, the others still run. It is tried once a round. Returns the failures. */
async function runRound<App>(
  round: readonly Task<App>[],
  run: (task: Task<App>) => Promise<number>,
  counts: Map<string, number>,
): Promise<unknown[]> {
  const failures = new Map<Task<App>, unknown>();
  for (let pass = 0, done = 1; done > 0 && pass < passesMax; pass += 1) {
    done = 0;
    for (const task of round) {
      if (failures.has(task)) continue;
      const count = await run(task).catch((error: unknown) => {
        failures.set(task, error);
        return 0;
      });
      counts.set(task.name, (counts.get(task.name) ?? 0) + count);
      done += count;
    }
  }
  return [...failures.values()];
}

function earliest(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((at) => (at ? [at.getTime()] : []));
  return known.length > 0 ? new Date(Math.min(...known)) : null;
}

/** Callers share a run that has begun. */
function shared<Argument, Result>(
  run: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  let running: Promise<Result> | null = null;
  return (argument) => {
    running ??= run(argument).finally(() => {
      running = null;
    });
    return running;
  };
}
