import { bulkPerMinuteMax } from '#shared/contract/admin.ts';

export const minuteMs = 60_000;
/** Interval between rounds of a worker. */
export const bulkRoundMs = 15_000;
/** A minute's worth, spread over the minute. */
const perRound = Math.ceil((bulkPerMinuteMax * bulkRoundMs) / minuteMs);
/** Time over which results of mails are counted. */
export const watchedMs = 10 * minuteMs;

/**
 * Number of recipients that a round may claim. No minute has more than the pace allows. If a minute's worth of mails is
 * queued and none ended, it is 0. Otherwise mails would pile up during an outage and leave in one burst.
 * @param taken recipients claimed within `watchedMs`: those of the last minute, those with queued mail, those whose
 * mail ended.
 */
export function peopleNow(taken: { lately: number; queued: number; ended: number }): number {
  const isStuck = taken.queued >= bulkPerMinuteMax && taken.ended === 0;
  return isStuck ? 0 : Math.max(0, Math.min(perRound, bulkPerMinuteMax - taken.lately));
}
