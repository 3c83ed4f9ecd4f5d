import { AsyncLocalStorage } from 'node:async_hooks';
import { createWorkBoard } from './work-board.ts';

/**
 * An error this long after a request has ended still counts as the request's: streams can fail after the answer.
 * A later error counts as the process's, because a connection that a request opened may live for days.
 */
const attributedMs = 60_000;

type Running = {
  name: string;
  /** Place of the name on the board. Null if the board was full. */
  slot: number | null;
  endedAtMs: number | null;
  onUncaught: ((error: unknown) => void) | null;
  sender: string | null;
  /** The sender at the beginning, before a session named an account. */
  network: string | null;
};

export type RunningWork = {
  /** Runs `next` as a part of this work, so that its uncaught errors are attributed to this work. */
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
/** Names of the requests and tasks that run in this process. The watchdog reads it if the event loop hangs. */
export const board = createWorkBoard();

/**
 * Begins a request or a task. `name` is a route's pattern or a task's name, because a real address may contain a secret.
 */
export function beginWork(name: string, { onUncaught, sender }: Origin = {}): RunningWork {
  const slot = board.enter(name);
  const from = { sender: sender ?? null, network: sender ?? null };
  const work: Running = { name, slot, endedAtMs: null, onUncaught: onUncaught ?? null, ...from };
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

/** Network that the running request came from, also after a sign-in. Null for the service's own work. */
export function networkOfWork(): string | null {
  return current.getStore()?.network ?? null;
}

/** Names the client of the running request more exactly. */
export function nameSender(sender: string): void {
  const work = current.getStore();
  if (work) work.sender = sender;
}

export async function asTask<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
  const work = beginWork(name);
  try {
    return await work.run(task);
  } finally {
    work.end();
  }
}

type Log = Record<'error' | 'fatal', (details: object, message: string) => void>;

/** Exit code for a software error (EX_SOFTWARE in sysexits.h), after which a supervisor starts the process again. */
export const uncaughtExitCode = 70;

/**
 * Keeps an uncaught error of one request from ending the process. Any other uncaught error is logged and ends the
 * process, because its state is unknown. Its supervisor starts a new one.
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
    log.fatal({ err, origin, work: work?.name }, 'an uncaught error belongs to no request, so this process ends');
    endProcess();
  };
  // Node.js passes unhandled rejections to this event too, unless they have a listener of their own.
  process.on('uncaughtException', handle);
  return {
    close: async () => void process.off('uncaughtException', handle),
  };
}
