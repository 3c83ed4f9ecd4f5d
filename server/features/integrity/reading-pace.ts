import { setTimeout as delay } from 'node:timers/promises';

export type Pace = {
  /** Waits as long as these bytes may take. */
  spend(bytes: number): Promise<void>;
  stop: AbortSignal | undefined;
};

/** Reads at most so much a second, over all the time since it began. */
export function paceOf(bytesPerSecond: number, stop?: AbortSignal): Pace {
  const startedMs = performance.now();
  let bytes = 0;
  return {
    stop,
    async spend(more) {
      bytes += more;
      const aheadMs = (bytes / bytesPerSecond) * 1_000 - (performance.now() - startedMs);
      stop?.throwIfAborted();
      if (aheadMs > 0) await delay(aheadMs, undefined, stop && { signal: stop });
    },
  };
}

/** How long a slice of the weekly check takes in each minute, and where it would not be through in time. */
export const sliceMs = { usual: 5_000, late: 45_000 };

/** Owners are as many for each first half of their ids, since those are random (RFC 9562, version 4). */
const idsOf = { digits: 8, all: 16 ** 8 };

/**
 * How long the next slice of a round works: longer where less of the owners is done than of the time in which all should be, so
 * that a week stays a week however many letters and files there are.
 */
export function sliceMsOf({
  startedAt,
  afterUserId,
  now,
  roundMs,
}: {
  startedAt: Date;
  /** The owner who was checked last; null before the first. */
  afterUserId: string | null;
  now: Date;
  roundMs: number;
}): number {
  const done = Number.parseInt(afterUserId?.slice(0, idsOf.digits) ?? '0', 16) / idsOf.all;
  const gone = (now.getTime() - startedAt.getTime()) / roundMs;
  return done < gone ? sliceMs.late : sliceMs.usual;
}
