import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';

/** Parts of an app that the runner needs. */
export type TaskGround = { db: Database; clock: Clock };

/** One entry of the list of tasks. */
export type Task<App> = {
  name: string;
  /** Milliseconds between two runs. */
  everyMs: number;
  /** `installation`: a lease keeps other processes from it. `process`: each process runs it. */
  oncePer: 'process' | 'installation';
  /** A longer run hangs. The runner waits no longer, and begins no other run of the task until it has ended. */
  limitMs: number;
  /** The worker counts as stopped if the task hangs, or has failed for the time of its limit. */
  essential: boolean;
  /** A number is the number of things done. */
  run(app: App, context: TaskContext): Promise<unknown>;
  /** Part of a round: if one of these did something, all of them run again. */
  inRound?: boolean;
  /** The process begins with it. So does a round by hand, unless it has run lately. */
  beforeRound?: boolean;
  /** Time until which the test clock may skip the task; for tasks of a round. */
  nextDueAt?(app: App, now: Date): Promise<Date | null>;
};

export type TaskContext = {
  /** Aborts when the process is about to end. A run that throws then is continued by the next process. */
  stop: AbortSignal;
  /** A sentence about an essential task that hangs or fails; null if all is well. */
  trouble(): string | null;
  /** Stores when this process last ran the tasks that need no lease. */
  saveRuns(): Promise<void>;
};
