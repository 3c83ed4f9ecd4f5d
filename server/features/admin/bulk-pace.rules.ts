import { bulkPerMinuteMax } from '#shared/contract/admin.ts';

export const minuteMs = 60_000;
/** How often a worker looks whom to write to. */
export const bulkRoundMs = 15_000;
/** A minute's worth, spread over the minute. */
const perRound = Math.ceil((bulkPerMinuteMax * bulkRoundMs) / minuteMs);
/** How far back it is looked whether mail gets through. */
export const watchedMs = 10 * minuteMs;

/**
 * How many people may be written to now. Never more in any minute than the pace allows; and none while of a minute's
 * worth not one mail came to an end, since what piles up while the mail server is away would leave all at once.
 *
 * @param taken people taken on within `watchedMs`: those of the last minute, whose mail is under way, whose mail ended.
 */
export function peopleNow(taken: { lately: number; queued: number; ended: number }): number {
  const isStuck = taken.queued >= bulkPerMinuteMax && taken.ended === 0;
  return isStuck ? 0 : Math.max(0, Math.min(perRound, bulkPerMinuteMax - taken.lately));
}
