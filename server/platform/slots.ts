export type Slots = {
  /**
   * Takes a slot, after those who wait already. Leaves the queue if the signal aborts.
   * @throws the error of `full` if too many wait, and the reason of the signal.
   */
  take(signal?: AbortSignal): Promise<void>;
  /** Hands the slot to the next who waits. */
  give(): void;
  isWaitedFor(): boolean;
};

type Options = { slotsMax: number; waitingMax: number; full: () => Error };

/** Lets a number of jobs of this process run at once; a bounded number of others wait in their order. */
export function createSlots({ slotsMax, waitingMax, full }: Options): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (running < slotsMax) {
        running += 1;
        return;
      }
      if (waiting.length >= waitingMax) throw full();
      // The job that ends hands its slot over, so the count stays.
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(begin), 1);
          reject(signal?.reason);
        };
        const begin = () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        waiting.push(begin);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    },
    isWaitedFor: () => waiting.length > 0,
  };
}
