import { type App, serviceOf } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { Moment } from './delivery.rules.ts';

/**
 * Wall time minus outages, in milliseconds: `countedMs` so far, and `atMostMs` as the most possible at `at`. A release
 * counts it, and delivery may not import from there, so the composition root sets it.
 */
export const healthyTimeOf =
  serviceOf<(executor: Executor, at: Date) => Promise<{ countedMs: number; atMostMs: number }>>('HealthyTime');

/** Returns this time by the clock and in healthy time. */
export async function momentAt(app: App, executor: Executor, at: Date): Promise<Moment> {
  return { atMs: at.getTime(), healthyMs: (await healthyTimeOf(app)(executor, at)).countedMs };
}
