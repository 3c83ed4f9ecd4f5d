import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const mebibyte = 1_048_576;
/** Share of the run in which caches, prepared statements and counters fill up. */
const warmUpTenths = 3;
/** Over all that comes after the warm-up. */
export const heapGrowthMaxMebibytes = 32;

export type Sample = { rss: number; heap: number };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Memory of this process after a garbage collection, in MiB. */
export function sampleMemory(): Sample {
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss: rss / mebibyte, heap: (heapUsed + external) / mebibyte };
}

/** By how much a figure grows from one sample to the next, by least squares over those after the warm-up. */
export function slopeOf(samples: readonly number[]): number {
  const values = samples.slice(warmUpTenths);
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const above = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const below = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

/** True if memory grew by more than it may, after the warm-up. */
export function hasGrown(samples: readonly Sample[]): boolean {
  const counted = Math.max(0, samples.length - warmUpTenths - 1);
  return slopeOf(samples.map(({ heap }) => heap)) * counted > heapGrowthMaxMebibytes;
}
