import { dayMs } from '#shared/rules/inactivity.ts';
import { accountAfterDeletionDays } from '#shared/rules/retention.ts';

/** Who asked for an account to be deleted. */
export type DeletionCause = 'owner' | 'administrator' | 'inactivity' | 'not-me';

const restoreMs = accountAfterDeletionDays * dayMs;

/** Before this moment no request for deletion can be due. */
export function requestedUntilMs(nowMs: number): number {
  return nowMs - restoreMs;
}

/**
 * Whether the days to take a deletion back are over: by the clock, and in healthy time, so that nobody loses a vault
 * because the service was down on the days on which they could have restored it.
 */
export function isDeletionDue(
  request: { atMs: number; healthyMs: number },
  now: { atMs: number; healthyMs: number },
): boolean {
  return now.atMs - request.atMs >= restoreMs && now.healthyMs - request.healthyMs >= restoreMs;
}
