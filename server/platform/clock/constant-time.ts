import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than any of the calls that are held back takes on a machine that is not overloaded. */
export const constantTimeMs = 300;

/**
 * Makes an answer take a constant time, so that its time tells nothing about what was found. Does the work and ends no sooner than `floorMs` after it began, also when it fails. Where an address is known there
 * is more to do than where it is not; the same answer must not come later for that.
 */
export async function inConstantTime<T>(floorMs: number, work: () => Promise<T>): Promise<T> {
  const floor = sleep(floorMs);
  try {
    return await work();
  } finally {
    await floor;
  }
}
