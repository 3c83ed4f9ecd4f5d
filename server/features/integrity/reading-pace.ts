import { setTimeout as delay } from 'node:timers/promises';

export type Pace = {
  /** Waits for the time that these bytes may take. */
  spend(bytes: number): Promise<void>;
  stop: AbortSignal | undefined;
};

/** Limits the average reading rate since the start. */
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

/** Duration of a slice in each minute, usually and if the check is late. */
export const sliceMs = { usual: 5_000, late: 45_000 };

/** Share of owners by the first half of their ids. Ids are random (RFC 9562, version 4), so all shares are equal. */
const idsOf = { digits: 8, all: 16 ** 8 };

/**
 * Duration of the next slice of a round. It is longer if the share of checked owners is below the share of elapsed
 * time. A round then takes a week for any number of letters and files.
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
