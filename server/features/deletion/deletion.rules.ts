import { dayMs } from '#shared/rules/inactivity.ts';
import { accountAfterDeletionDays } from '#shared/rules/retention.ts';

export type DeletionCause = 'owner' | 'administrator' | 'inactivity' | 'not-me';

const restoreMs = accountAfterDeletionDays * dayMs;

/** Before this moment no request for deletion can be due. */
export function requestedUntilMs(nowMs: number): number {
  return nowMs - restoreMs;
}

/**
 * True if the days to undo a deletion have ended, both by the clock and in healthy time. An outage must not use up the
 * days in which the owner could have restored the vault.
 */
export function isDeletionDue(
  request: { atMs: number; healthyMs: number },
  now: { atMs: number; healthyMs: number },
): boolean {
  return now.atMs - request.atMs >= restoreMs && now.healthyMs - request.healthyMs >= restoreMs;
}
