import { senderOfWork } from '#server/platform/running-work/running-work.ts';

/** Gives a slot back, to the next who waits. */
export type Give = () => void;

export type Slots = {
  /**
   * Takes a slot, after those of the same sender who wait already. Leaves its line if the signal aborts.
   * @throws the error of `full` if too many wait, and the reason of the signal.
   */
  take(signal?: AbortSignal): Promise<Give>;
  /** Takes a slot that is free now. Null if there is none. */
  takeFree(): Give | null;
  /** Runs an act in a slot. @throws as `take`, and any error of the act. */
  run<Done>(act: () => Promise<Done>, signal?: AbortSignal): Promise<Done>;
  isWaitedFor(): boolean;
};

type Options = {
  slotsMax: number;
  /** Slots that one sender may have at once. The service's own work may have all of them. */
  shareMax?: number;
  waitingMax: number;
  full: () => Error;
  /** Line of the running work. Null for the service's own work. By default it is the sender's. */
  lineOf?: () => string | null;
};

type Waiting = { begin: () => void; refuse: (error: unknown) => void };

/** Line of the service's own work, which no request began. */
const ownLine = '';

/**
 * Lets a number of jobs of this process run at once; a bounded number of others wait. Each sender has a line, and lines
 * take turns, so a sender who sends a thousand jobs delays the others by one.
 */
export function createSlots(options: Options): Slots {
  const { slotsMax, shareMax = slotsMax, waitingMax, full, lineOf = senderOfWork } = options;
  /** In the order of their turns. None is empty. */
  const lines = new Map<string, Waiting[]>();
  const running = new Map<string, number>();
  let runningCount = 0;
  let waitingCount = 0;

  const mayRun = (sender: string) => sender === ownLine || (running.get(sender) ?? 0) < shareMax;

  const begin = (sender: string): Give => {
    runningCount += 1;
    running.set(sender, (running.get(sender) ?? 0) + 1);
    return () => {
      runningCount -= 1;
      const left = (running.get(sender) ?? 1) - 1;
      if (left === 0) running.delete(sender);
      else running.set(sender, left);
      callNext();
    };
  };

  const leave = (sender: string, line: Waiting[], waiting: Waiting) => {
    line.splice(line.indexOf(waiting), 1);
    waitingCount -= 1;
    if (line.length === 0) lines.delete(sender);
  };

  const callNext = () => {
    if (runningCount >= slotsMax) return;
    for (const [sender, line] of lines) {
      const [first] = line;
      if (!first || !mayRun(sender)) continue;
      leave(sender, line, first);
      // Behind the others.
      if (lines.delete(sender)) lines.set(sender, line);
      first.begin();
      return;
    }
  };

  /** Makes room by the last job of a sender who has more waiting than this one would have. */
  const makeRoom = (sender: string) => {
    if (waitingCount < waitingMax) return;
    const [longestSender, longest] = [...lines].reduce((one, other) => (other[1].length > one[1].length ? other : one));
    const last = longest.at(-1);
    if (!last || longest.length <= (lines.get(sender)?.length ?? 0) + 1) throw full();
    leave(longestSender, longest, last);
    last.refuse(full());
  };

  const wait = (sender: string, signal: AbortSignal | undefined) =>
    new Promise<Give>((resolve, reject) => {
      const line = lines.get(sender) ?? [];
      const giveUp = () => {
        leave(sender, line, waiting);
        reject(signal?.reason);
      };
      const settle = () => signal?.removeEventListener('abort', giveUp);
      const waiting: Waiting = {
        begin() {
          settle();
          resolve(begin(sender));
        },
        refuse(error) {
          settle();
          reject(error);
        },
      };
      line.push(waiting);
      lines.set(sender, line);
      waitingCount += 1;
      signal?.addEventListener('abort', giveUp, { once: true });
    });

  const takeFree = () => {
    const sender = lineOf() ?? ownLine;
    return runningCount < slotsMax && mayRun(sender) ? begin(sender) : null;
  };
  const take = async (signal?: AbortSignal) => {
    signal?.throwIfAborted();
    const free = takeFree();
    if (free) return free;
    const sender = lineOf() ?? ownLine;
    makeRoom(sender);
    return wait(sender, signal);
  };
  return {
    take,
    takeFree,
    async run(act, signal) {
      const give = await take(signal);
      try {
        return await act();
      } finally {
        give();
      }
    },
    isWaitedFor: () => waitingCount > 0,
  };
}
