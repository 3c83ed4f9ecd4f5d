import { AsyncLocalStorage } from 'node:async_hooks';
import { createWorkBoard } from './work-board.ts';

/**
 * An error of a stream may come after the answer has left. Later ones count as errors of the process: a connection that
 * a request once opened may live for days.
 */
const attributedMs = 60_000;

type Running = {
  name: string;
  slot: number | null;
  endedAtMs: number | null;
  onUncaught: ((error: unknown) => void) | null;
  sender: string | null;
};

export type RunningWork = {
  /** Runs `next` as a part of this work, so that its uncaught errors are known to be of it. */
  run<Result>(next: () => Result): Result;
  end(): void;
};

type Origin = {
  /** Answers for an error that no code caught. Without it such an error ends the process. */
  onUncaught?: (error: unknown) => void;
  /** Client that the work is for. Without it the work is the service's own. */
  sender?: string;
};

const current = new AsyncLocalStorage<Running>();
/** Requests and tasks of this process. */
export const board = createWorkBoard();

/**
 * Begins a request or a task. `name` is the pattern of a route or the word for a task, never an address.
 */
export function beginWork(name: string, { onUncaught, sender }: Origin = {}): RunningWork {
  const slot = board.enter(name);
  const work: Running = { name, slot, endedAtMs: null, onUncaught: onUncaught ?? null, sender: sender ?? null };
  return {
    run(next) {
      board.mark(work.slot);
      return current.run(work, next);
    },
    end() {
      if (work.endedAtMs !== null) return;
      work.endedAtMs = performance.now();
      board.leave(work.slot);
    },
  };
}

/** Client that the running request is for, such as a network or an account. Null for the service's own work. */
export function senderOfWork(): string | null {
  return current.getStore()?.sender ?? null;
}

/** Names the client of the running request more exactly. */
export function nameSender(sender: string): void {
  const work = current.getStore();
  if (work) work.sender = sender;
}

/** Runs a task under its name. */
export async function asTask<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
  const work = beginWork(name);
  try {
    return await work.run(task);
  } finally {
    work.end();
  }
}

type Log = Record<'error' | 'fatal', (details: object, message: string) => void>;

/** Software error (sysexits.h): a supervisor starts the process again. */
export const uncaughtExitCode = 70;

/**
 * Keeps an uncaught error of one request from ending the process. Any other uncaught error ends it after a line in
 * the log, because the state of the process is unknown. Its supervisor starts a clean one.
 */
export function watchUncaught(
  log: Log,
  endProcess: () => void = () => process.exit(uncaughtExitCode),
): { close(): Promise<void> } {
  const handle = (err: unknown, origin: string) => {
    const work = current.getStore();
    const isRecent =
      work !== undefined && (work.endedAtMs === null || performance.now() - work.endedAtMs < attributedMs);
    if (work?.onUncaught && isRecent) {
      log.error({ err, origin, work: work.name }, 'a request raised an error that no code caught; the process lives');
      try {
        work.onUncaught(err);
      } catch (failure) {
        log.error({ err: failure, work: work.name }, 'a request with an uncaught error could not be answered');
      }
      return;
    }
    log.fatal(
      { err, origin, work: work?.name },
      'an error outside of any request was not caught, so this process ends',
    );
    endProcess();
  };
  // Rejections of promises come here, too, unless a listener of their own takes them.
  process.on('uncaughtException', handle);
  return {
    close: async () => void process.off('uncaughtException', handle),
  };
}
