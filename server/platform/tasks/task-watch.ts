import { setTimeout as sleep } from 'node:timers/promises';
import { failureNames } from '#server/platform/failure-names.ts';
import { asTask } from '#server/platform/running-work/running-work.ts';
import { inSpan } from '#server/platform/tracing/tracing.ts';
import type { Task, TaskContext, TaskGround } from './task.ts';
import { claimRun, endRun, isLeased, nextRunAt, readRuns, renewRun, saveRuns, type TaskRun } from './task-runs.ts';

/** A run took longer than its limit, or is still running. */
export class TaskTooLongError extends Error {
  override readonly name = 'TaskTooLongError';
}

/** If a process is killed, another one may take its task after `leaseMs`. */
const usualPace = { leaseMs: 5 * 60_000, renewMs: 60_000 };
export type LeasePace = typeof usualPace;

/** Last run of a task in this process. Times are of its monotonic clock. */
type State = {
  /** Start of a run that has not ended. */
  startedMs: number | null;
  begunMs: number | null;
  /** End of the last run without an error. */
  endedMs: number | null;
  /** Null if the last run did not fail. */
  failedMs: number | null;
  failure: string;
};

/** A run of a task that is due. Null if another process has begun it. */
type DueRun<App> = { task: Task<App>; run: () => Promise<number | null> };

type Options<App> = {
  tasks: readonly Task<App>[];
  stop: AbortSignal;
  nowMs: () => number;
  pace?: LeasePace | undefined;
};

/** Runs single tasks, each with its limit and its lease, and knows how the last runs of this process ended. */
export function watchTasks<App extends TaskGround>(app: App, options: Options<App>) {
  const { tasks, stop, nowMs, pace = usualPace } = options;
  const { db, clock } = app;
  const openedMs = nowMs();
  const fresh = (): State => ({ startedMs: null, begunMs: null, endedMs: null, failedMs: null, failure: '' });
  const states = new Map(tasks.map((task) => [task, fresh()]));
  const stateOf = (task: Task<App>): State => states.get(task) ?? fresh();
  const doneMs = (task: Task<App>) => stateOf(task).endedMs ?? openedMs;
  const essential = tasks.filter((task) => task.essential);
  const troubleOf = (task: Task<App>) => describeTrouble(task, stateOf(task), { doneMs: doneMs(task), now: nowMs() });
  const trouble = () => essential.map(troubleOf).find(Boolean) ?? null;
  const saveOwn = async () => saveRuns(db, ownRuns(states, { at: await clock.now(), nowMs: nowMs() }));
  const context: TaskContext = { stop, trouble, saveRuns: saveOwn };

  /** @throws TaskTooLongError if the run reaches the limit of its task, or an earlier one has not ended. */
  async function run(task: Task<App>): Promise<number> {
    const state = stateOf(task);
    if (state.startedMs !== null) throw new TaskTooLongError(`${task.name} is still running.`);
    state.startedMs = state.begunMs = nowMs();
    const fail = (error: unknown) => Object.assign(state, { failedMs: nowMs(), failure: failureNames(error) });
    return inSpan({ name: `task ${task.name}` }, () => {
      const working = asTask(`task ${task.name}`, () => task.run(app, context)).then(
        (done) => {
          Object.assign(state, { startedMs: null, endedMs: nowMs(), failedMs: null });
          return typeof done === 'number' ? done : 0;
        },
        (error: unknown) => {
          fail(error);
          state.startedMs = null;
          throw error;
        },
      );
      return withinTime(working, task, fail);
    });
  }

  /** Tasks whose time has come, each ready to run. None if another process runs one of them: tasks of a list take turns. */
  async function due(asked: readonly Task<App>[]): Promise<DueRun<App>[]> {
    if (asked.every(({ oncePer }) => oncePer === 'process'))
      return asked.map((task) => ({ task, run: () => run(task) }));
    const runs = await readRuns(db);
    const now = await clock.now();
    if (asked.some(({ name }) => isLeased(runs.get(name), now))) return [];
    const readMs = nowMs();
    // Saves a statement for each time. Renewals ask the database, because a monotonic clock stops while a machine sleeps.
    const laterNow = () => new Date(now.getTime() + nowMs() - readMs);
    return asked.flatMap((task) => {
      const last = runs.get(task.name);
      const nextAt = nextRunAt(last, task.everyMs);
      const isRunning = stateOf(task).startedMs !== null;
      if (isRunning || (nextAt && nextAt > now)) return [];
      return [
        { task, run: () => withLease({ db, clock, pace, stop, laterNow, name: task.name, last }, () => run(task)) },
      ];
    });
  }

  return {
    run,
    due,
    trouble,
    /** Seconds since every essential task has succeeded. */
    idleSeconds: () => Math.max(0, nowMs() - Math.min(...essential.map(doneMs))) / 1_000,
    /** Milliseconds since the last run began; infinite before the first. */
    sinceMs: (task: Task<App>) => nowMs() - (stateOf(task).begunMs ?? Number.NEGATIVE_INFINITY),
  };
}

type Leased = TaskGround & { name: string; pace: LeasePace };

/** Runs the task under a lease. Returns null if another process has begun it since `last`. */
async function withLease(
  { last, stop, laterNow, ...leased }: Leased & { last: TaskRun | undefined; stop: AbortSignal; laterNow: () => Date },
  run: () => Promise<number>,
): Promise<number | null> {
  const { db, name, pace } = leased;
  const begunAt = laterNow();
  if (!(await claimRun(db, { name, last, at: begunAt, leaseUntil: new Date(begunAt.getTime() + pace.leaseMs) })))
    return null;
  const over = new AbortController();
  const renewing = keepLease(leased, begunAt, over.signal);
  const done = await run().catch((error: unknown) => ({ error }));
  over.abort();
  await renewing;
  const failed = typeof done === 'number' ? null : done;
  // A run that the end of its process has cut short has not failed. The next process continues it.
  const isCut = failed !== null && stop.aborted;
  await endRun(db, { name, begunAt, at: laterNow(), isCut, failure: failed && failureNames(failed.error) });
  if (isCut) return 0;
  if (failed) throw failed.error;
  return done as number;
}

/** If the database is away, the lease may expire. Meanwhile no other process can take it. */
async function keepLease({ db, clock, name, pace }: Leased, begunAt: Date, over: AbortSignal): Promise<void> {
  const renew = async () => {
    const leaseUntil = new Date((await clock.now()).getTime() + pace.leaseMs);
    await renewRun(db, { name, begunAt, leaseUntil });
  };
  for (;;) {
    await sleep(pace.renewMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    await renew().catch(() => undefined);
  }
}

/** Last runs of the tasks that need no lease, for `everkept tasks`. */
function ownRuns<App>(states: ReadonlyMap<Task<App>, State>, { at, nowMs }: { at: Date; nowMs: number }): TaskRun[] {
  const dateOf = (ms: number) => new Date(at.getTime() - (nowMs - ms));
  const noEnd = { endedAt: null, leaseUntil: null, failedAt: null, failure: null };
  return [...states].flatMap(([{ name, oncePer }, { begunMs, endedMs, failedMs, failure }]) => {
    if (oncePer === 'installation' || begunMs === null) return [];
    const ended = endedMs === null ? {} : { endedAt: dateOf(endedMs) };
    const failed = failedMs === null ? {} : { failedAt: dateOf(failedMs), failure };
    return [{ ...noEnd, ...ended, ...failed, name, begunAt: dateOf(begunMs) }];
  });
}

function describeTrouble<App>(
  { name, limitMs }: Task<App>,
  { startedMs, failedMs }: State,
  { doneMs, now }: { doneMs: number; now: number },
): string | null {
  if (startedMs !== null && now - startedMs >= limitMs)
    return `“${name}” has been running for ${minutes(now - startedMs)}.`;
  if (failedMs !== null && now - doneMs >= limitMs) return `“${name}” has failed for ${minutes(now - doneMs)}.`;
  return null;
}

function withinTime<App, Result>(
  working: Promise<Result>,
  { name, limitMs }: Task<App>,
  onLate: (error: TaskTooLongError) => void,
): Promise<Result> {
  // A run that fails after its limit has no caller left.
  working.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new TaskTooLongError(`${name} takes too long.`);
      onLate(error);
      reject(error);
    }, limitMs);
    working.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const minutes = (ms: number) => `${Math.round(ms / 60_000)} minutes`;
