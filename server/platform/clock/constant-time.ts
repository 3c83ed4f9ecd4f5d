import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than any of the calls that are held back takes on a machine that is not overloaded. */
export const constantTimeMs = 300;

/**
 * Makes an answer take a constant time, so that its time reveals nothing. It ends at least `floorMs` after its start,
 * also on failure. A known address causes more work than an unknown one, and must not answer later for that.
 */
export async function inConstantTime<T>(floorMs: number, work: () => Promise<T>): Promise<T> {
  const floor = sleep(floorMs);
  try {
    return await work();
  } finally {
    await floor;
  }
}
