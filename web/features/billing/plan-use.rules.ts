import { bytesPerMegabyte, unlimited, warningPercent } from '#shared/rules/plans.ts';

/** How much of a limit is used, as the service says it. A limit of -1 is none. */
export type PlanUse = { current: number; limit: number };

export function isUnlimited({ limit }: PlanUse): boolean {
  return limit === unlimited;
}

/** Whether at least the warning share of a limit is used. What has no limit is never near it. */
export function isNearLimit(use: PlanUse): boolean {
  return !isUnlimited(use) && use.limit > 0 && (use.current / use.limit) * 100 >= warningPercent;
}

/** Megabytes, as the service counts storage, in whole bytes. */
export function bytesOf(megabytes: number): number {
  return Math.round(megabytes * bytesPerMegabyte);
}
