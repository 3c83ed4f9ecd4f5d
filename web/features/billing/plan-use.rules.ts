import { bytesPerMegabyte } from '#shared/rules/plans.ts';

/** Megabytes, as the service counts storage, in whole bytes. */
export function bytesOf(megabytes: number): number {
  return Math.round(megabytes * bytesPerMegabyte);
}
