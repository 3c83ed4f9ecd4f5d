import type { Executor } from '#server/platform/db/database.ts';

/** Data of a job: ids only. A finished job keeps it for days, so it never holds a name, an address or a link. */
export type JobData = Readonly<Record<string, string>>;

/** Given every job of a batch at once. Throwing gives the whole batch back to be tried again. */
export type JobHandler = (batch: readonly JobData[]) => Promise<void>;

export type WorkOptions = {
  /** Number of jobs one call of the handler may receive. */
  batchSize: number;
  /** Seconds between two looks at an empty queue; half a second at least. */
  pollingSeconds: number;
};

/**
 * A wake-up, never the truth: pending work is in our own rows, and a sweep finds it if a job is lost. So a job may
 * run twice, late or not at all.
 */
export type Queue = {
  /** Queues `job` once the caller's transaction has committed; a rollback queues nothing. */
  wake(tx: Executor, job: string, data: JobData): Promise<void>;
  /** Takes jobs of this name from `start` on. */
  work(job: string, options: WorkOptions, handler: JobHandler): Promise<void>;
  start(): Promise<void>;
  /** Lets the handlers that run finish, then takes no more. */
  stop(): Promise<void>;
};

/** The policy of one job's queue. Nothing is left to the library's defaults, which do not fit (see `wakeUpPolicy`). */
export type JobPolicy = {
  retryLimit: number;
  retryDelaySeconds: number;
  retryDelayMaxSeconds: number;
  /** After so long a running job is taken for dead and given to another worker. */
  expireSeconds: number;
  /** An unfetched job is dropped after this time; the sweep then finds its cause. */
  retentionSeconds: number;
  /** A finished job is deleted after so long. */
  deleteAfterSeconds: number;
};

export type JobDeclaration = { name: string; policy: JobPolicy };

const minute = 60;
const hour = 60 * minute;

/** For jobs that only say "look at your rows now". */
export const wakeUpPolicy: JobPolicy = {
  retryLimit: 3,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: minute,
  expireSeconds: 15 * minute,
  retentionSeconds: 6 * hour,
  deleteAfterSeconds: hour,
};
