import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { networkOfWork } from '#server/platform/running-work/running-work.ts';
import { createSlots, type Slots } from '#server/platform/slots.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { FromThread, ThreadJob, ToThread } from './thread-job.ts';

/** Limits of a lane. Memory is in MB, of each thread; buffers lie outside its heap. */
type Limits = {
  threadsMax: number;
  waitingMax: number;
  heapMb: number;
  youngHeapMb: number;
  buffersMb: number;
  idleMs: number;
};

const laneLimits: Record<ThreadJob['lane'], Limits> = {
  // One at a time: a thread costs 45 MB before its first page, so two books at once would add more than 100 MB.
  book: { threadsMax: 1, waitingMax: 15, heapMb: 80, youngHeapMb: 4, buffersMb: 96, idleMs: 5_000 },
  // Room for the largest text of an export as objects.
  import: { threadsMax: 1, waitingMax: 8, heapMb: 256, youngHeapMb: 16, buffersMb: 96, idleMs: 5_000 },
  // Heads of files and bounced mails take milliseconds, so one thread is enough.
  short: { threadsMax: 1, waitingMax: 100, heapMb: 64, youngHeapMb: 8, buffersMb: 64, idleMs: 60_000 },
};
/** Seconds after which a caller may try again if a lane or an owner's turn is taken. */
const retryAfterSeconds = 60;
/** Between two looks at the buffers and the processor time of a thread. */
const measureEveryMs = 100;
/** On a busy machine a job may take so many times its processor time. Threads give way to the event loop. */
const busyMachineFactor = 4;

/** The thread needed more time or memory than a job may have. It was ended, and no result exists. */
export class JobLimitError extends Error {
  override readonly name = 'JobLimitError';
}

/**
 * Runs code in the async context of this module, which belongs to no request. Threads outlive the job that starts them, so
 * their errors, logs and traces must not count as those of that job's request.
 */
const outsideOfRequests = AsyncLocalStorage.snapshot();

type Counts = { started: number; done: number; terminated: number };
const counts = new Map<string, Counts>();

/** Number of jobs of a kind that this process has started, finished and terminated. */
export function jobCounts({ name }: Pick<ThreadJob, 'name'>): Readonly<Counts> {
  return counts.get(name) ?? { started: 0, done: 0, terminated: 0 };
}

function count({ name }: ThreadJob, what: keyof Counts): void {
  counts.set(name, { ...jobCounts({ name }), [what]: jobCounts({ name })[what] + 1 });
}

type Lane = { limits: Limits; slots: Slots; idle: Set<Worker> };

function laneOf(limits: Limits): Lane {
  const { threadsMax: slotsMax, waitingMax } = limits;
  // Lines of networks and not of accounts, because one person can open many accounts, and each may have a long job.
  const slots = createSlots({ slotsMax, waitingMax, full: laneIsFull, lineOf: networkOfWork });
  return { limits, slots, idle: new Set() };
}

const lanes: Record<ThreadJob['lane'], Lane> = {
  book: laneOf(laneLimits.book),
  import: laneOf(laneLimits.import),
  short: laneOf(laneLimits.short),
};
const busyOwners = new Set<string>();

type JobCall = {
  input: unknown;
  /** Answers the thread's questions. If it fails, the job fails with the same error. */
  answer?: (question: unknown) => Promise<unknown>;
  /** Key of the person whose job it is: the account, or the reader of letters. Each person has one job at a time. */
  owner?: string;
  /** Ends the job while it waits or computes, because its result is no longer needed. */
  signal?: AbortSignal;
};

/**
 * Runs a job in a thread of the pool.
 *
 * @throws JobLimitError if the job exceeds its limits.
 * @throws AppError `RATE_LIMITED` if the owner has a job already, `UNAVAILABLE` if too many jobs wait, and any
 * AppError of the job itself.
 */
export async function runInThread(job: ThreadJob, call: JobCall): Promise<unknown> {
  const { owner } = call;
  if (owner === undefined) return runInLane(job, call);
  if (busyOwners.has(owner)) throw ownerIsBusy();
  busyOwners.add(owner);
  try {
    return await runInLane(job, call);
  } finally {
    busyOwners.delete(owner);
  }
}

async function runInLane(job: ThreadJob, call: JobCall): Promise<unknown> {
  const lane = lanes[job.lane];
  return lane.slots.run(() => runOn(lane, job, call), call.signal);
}

/** True if other jobs wait for a thread of this lane. */
export function othersWait({ lane }: Pick<ThreadJob, 'lane'>): boolean {
  return lanes[lane].slots.isWaitedFor();
}

async function runOn(lane: Lane, job: ThreadJob, call: JobCall): Promise<unknown> {
  const worker = takeThread(lane);
  count(job, 'started');
  try {
    const output = await converse(worker, job, call);
    outsideOfRequests(() => keepThread(lane, worker));
    count(job, 'done');
    return output;
  } catch (error) {
    // The thread may still be working, and may hold memory of the failed job.
    await worker.terminate();
    count(job, 'terminated');
    throw error;
  }
}

function takeThread({ idle, limits }: Lane): Worker {
  const [kept] = idle;
  if (kept) {
    idle.delete(kept);
    forget(kept);
    return kept;
  }
  const resourceLimits = { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: limits.youngHeapMb };
  return outsideOfRequests(() => new Worker(new URL('./worker.thread.ts', import.meta.url), { resourceLimits }));
}

/** Removes our listeners only: Node has its own on a worker, by other names. */
function forget(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

/** Keeps an idle thread for the next job. It does not keep the process alive. */
function keepThread({ idle, limits }: Lane, worker: Worker): void {
  forget(worker);
  idle.add(worker);
  const timer = setTimeout(() => {
    if (idle.delete(worker)) void worker.terminate();
  }, limits.idleMs).unref();
  const leave = () => {
    clearTimeout(timer);
    idle.delete(worker);
  };
  worker.once('exit', leave).once('error', leave);
  worker.unref();
}

/** Gives a thread its job and answers its questions until the job ends. */
function converse(worker: Worker, job: ThreadJob, { input, answer, signal }: JobCall): Promise<unknown> {
  const clock = busyClock(job.busyMs * busyMachineFactor);
  const ended = new AbortController();
  const post = (message: ToThread) => worker.postMessage(message);
  // The thread's events come in the context of the thread. The job's callbacks run in the context of its caller.
  const inJob = AsyncLocalStorage.snapshot();
  return new Promise<unknown>((resolve, reject) => {
    const overLimit = () => reject(new JobLimitError(`The job ${job.name} exceeded its limits.`));
    clock.onEnd(overLimit);
    const watch = { onExceed: overLimit, until: ended.signal };
    watchBuffers(worker, { ...watch, limit: lanes[job.lane].limits.buffersMb * bytesPerMb });
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal });
    if (signal?.aborted) reject(signal.reason);
    worker.once('error', (error: Error & { code?: string }) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? overLimit() : reject(error),
    );
    worker.once('exit', overLimit);
    const take = (message: FromThread) => {
      if (message.is === 'begun') {
        clock.begin();
        watchProcessorTime(worker, { ...watch, limit: job.busyMs });
      } else if (message.is === 'question') {
        const { id } = message;
        clock.pause();
        Promise.resolve(answer?.(message.question))
          .then((given) => {
            clock.resume();
            post({ is: 'answer', id, answer: given });
          })
          .catch(reject);
      } else if (message.is === 'done') resolve(message.output);
      else reject(errorOf(message));
    };
    worker.on('message', (message: FromThread) => inJob(take, message));
    worker.ref();
    post({ is: 'job', module: job.module.href, input });
  }).finally(() => {
    clock.stop();
    ended.abort();
  });
}

type Watch = { limit: number; onExceed: () => void; until: AbortSignal };

/** V8 limits the heap of a thread and not its buffers, so we look at them, also while the thread computes. */
function watchBuffers(worker: Worker, watch: Watch): void {
  measure(async () => (await worker.getHeapStatistics()).external_memory, watch);
}

/** Limits the time in which processors work for a thread from the first look on, in milliseconds. Other work on the machine does not count. */
function watchProcessorTime(worker: Worker, watch: Watch): void {
  const usedMs = async () => {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  };
  let before: number | null = null;
  measure(async () => {
    const used = await usedMs();
    before ??= used;
    return used - before;
  }, watch);
}

function measure(use: () => Promise<number>, { limit, onExceed, until }: Watch): void {
  const look = () => {
    use().then(
      (used) => {
        if (!until.aborted && used > limit) onExceed();
      },
      // The thread has ended, which its own events tell.
      () => {},
    );
  };
  const timer = setInterval(look, measureEveryMs).unref();
  until.addEventListener('abort', () => clearInterval(timer), { once: true });
}

const bytesPerMb = 1_048_576;

function errorOf(message: Extract<FromThread, { is: 'refused' | 'failed' }>): Error {
  if (message.is === 'refused') return new AppError(message.type, message.message, message.details);
  const error = new Error(message.message);
  if (message.stack !== undefined) error.stack = message.stack;
  return error;
}

/** Time limit for starting a thread and loading a module, which takes no input. */
const loadMs = 60_000;

/** Counts the time in which a thread works and waits for no answer. */
function busyClock(limitMs: number) {
  let leftMs = loadMs;
  let sinceMs = performance.now();
  let pauses = 0;
  let end = () => {};
  let timer: NodeJS.Timeout | undefined;
  const run = () => {
    sinceMs = performance.now();
    timer = setTimeout(() => end(), Math.max(0, leftMs)).unref();
  };
  run();
  return {
    onEnd(listener: () => void) {
      end = listener;
    },
    begin() {
      clearTimeout(timer);
      leftMs = limitMs;
      run();
    },
    pause() {
      pauses += 1;
      if (pauses > 1) return;
      clearTimeout(timer);
      leftMs -= performance.now() - sinceMs;
    },
    resume() {
      pauses -= 1;
      if (pauses === 0) run();
    },
    stop: () => clearTimeout(timer),
  };
}

function ownerIsBusy(): AppError {
  const message = 'Another file of yours is being made or read just now. Wait until it is ready, then try again.';
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds });
}

function laneIsFull(): AppError {
  const message = 'We are busy with other files just now, so nothing was changed. Try again in a minute.';
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds });
}
