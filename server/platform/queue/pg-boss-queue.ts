import { sql } from 'drizzle-orm';
import type pg from 'pg';
import { fromDrizzle, PgBoss } from 'pg-boss';
import type { JobData, JobDeclaration, JobHandler, Queue, WorkOptions } from './queue.ts';

export type PgBossQueueOptions = {
  /** Our own pool: the queue opens no connection of its own. */
  pool: pg.Pool;
  /** Every job there is. A job that is not named here cannot be asked for. */
  jobs: readonly JobDeclaration[];
  /** Told of what failed outside a caller's own call, such as a poll while the database was away. */
  onError: (error: Error) => void;
  /** Told what the queue thinks an operator should know, such as a slow query. */
  onWarning?: (message: string) => void;
};

const schema = 'jobs';
/** Time that `stop` waits for running handlers. */
const stopTimeoutMs = 15_000;

/**
 * Jobs in PostgreSQL, in the schema `jobs`, which the library makes and migrates itself. A wake-up is a row of the
 * caller's transaction, so it is there exactly when its cause is.
 */
export function createPgBossQueue({ pool, jobs, onError, onWarning = () => {} }: PgBossQueueOptions): Queue {
  const declared = new Set(jobs.map(({ name }) => name));
  const workers: { job: string; options: WorkOptions; handler: JobHandler }[] = [];
  let isStarted = false;

  const boss = new PgBoss({
    schema,
    db: { executeSql: (text, values) => pool.query(text, values) },
    // Timers of ours are sweeps over our own rows; the library's clock table is not needed.
    schedule: false,
    persistWarnings: false,
  });
  boss.on('error', onError);
  boss.on('warning', ({ message }) => onWarning(message));

  const startWorker = async ({ job, options, handler }: (typeof workers)[number]) => {
    const polling = {
      batchSize: options.batchSize,
      pollingIntervalSeconds: options.pollingSeconds,
      burstWhenBatchFull: options.batchSize > 1,
    };
    await boss.work<JobData>(job, polling, (batch) => handler(batch.map(({ data }) => data)));
  };

  const requireDeclared = (job: string) => {
    if (!declared.has(job)) throw new TypeError(`The job ${job} was not declared.`);
  };

  return {
    wake: async (tx, job, data) => {
      requireDeclared(job);
      await boss.send(job, data, { db: fromDrizzle(tx, sql) });
    },
    work: async (job, options, handler) => {
      requireDeclared(job);
      workers.push({ job, options, handler });
      if (isStarted) await startWorker({ job, options, handler });
    },
    start: async () => {
      await boss.start();
      for (const declaration of jobs) await declareQueue(boss, declaration);
      for (const worker of workers) await startWorker(worker);
      isStarted = true;
    },
    stop: async () => {
      if (!isStarted) return;
      isStarted = false;
      await boss.stop({ graceful: true, timeout: stopTimeoutMs, close: false });
    },
  };
}

async function declareQueue(boss: PgBoss, { name, policy }: JobDeclaration): Promise<void> {
  const options = {
    retryLimit: policy.retryLimit,
    retryDelay: policy.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: policy.retryDelayMaxSeconds,
    expireInSeconds: policy.expireSeconds,
    retentionSeconds: policy.retentionSeconds,
    deleteAfterSeconds: policy.deleteAfterSeconds,
  };
  await boss.createQueue(name, { ...options, policy: 'standard' });
  // `createQueue` leaves a queue of an earlier release as it was.
  await boss.updateQueue(name, options);
}
