import type { JobData, JobHandler, Queue } from './queue.ts';

export type MemoryQueue = Queue & {
  /** Every wake-up that was asked for, also those whose transaction was rolled back: only pg-boss can tell. */
  readonly woken: readonly { job: string; data: JobData }[];
  /** Hands what waits to the handlers, one batch after another, until nothing waits. Returns how many jobs ran. */
  drain(): Promise<number>;
};

/** Jobs of a `drain` that keeps waking itself; far more than a test ever asks for. */
const drainLimit = 10_000;

/** Keeps the jobs in memory and runs them when told. For tests and the simulation. */
export function createMemoryQueue(): MemoryQueue {
  const woken: { job: string; data: JobData }[] = [];
  const waiting: { job: string; data: JobData }[] = [];
  const workers = new Map<string, { batchSize: number; handler: JobHandler }>();

  const takeBatch = (job: string, size: number): JobData[] => {
    const batch = waiting.filter((entry) => entry.job === job).slice(0, size);
    for (const entry of batch) waiting.splice(waiting.indexOf(entry), 1);
    return batch.map(({ data }) => data);
  };

  return {
    woken,
    wake: async (_tx, job, data) => {
      woken.push({ job, data });
      waiting.push({ job, data });
    },
    work: async (job, { batchSize }, handler) => {
      workers.set(job, { batchSize, handler });
    },
    start: async () => {},
    stop: async () => {},
    drain: async () => {
      let ran = 0;
      while (ran < drainLimit) {
        const next = waiting.find(({ job }) => workers.has(job));
        const worker = next && workers.get(next.job);
        if (!next || !worker) return ran;

        const batch = takeBatch(next.job, worker.batchSize);
        await worker.handler(batch);
        ran += batch.length;
      }
      throw new Error('The jobs keep waking each other.');
    },
  };
}
