import type { z } from 'zod';
import type { App } from '#server/app.ts';
import type { Call } from '#server/http/bind.ts';
import type * as contract from '#shared/contract/dashboard.ts';
import { notFound } from '#shared/contract/errors.ts';
import { dayMs, heardOnDays } from '#shared/rules/inactivity.ts';
import { findDashboardFigures } from './dashboard.repository.ts';
import { dashboardStats } from './dashboard.rules.ts';

/** Returns the figures of the owner's cards. @throws AppError `NOT_FOUND` if the account is gone. */
export async function getDashboardStats(
  { db, clock }: App,
  { principal }: Call<typeof contract.getDashboardStats>,
): Promise<z.output<typeof contract.dashboardStatsSchema>> {
  const now = await clock.now();
  const figures = await findDashboardFigures(db, principal.userId, new Date(now.getTime() - heardOnDays * dayMs));
  if (!figures) throw notFound();

  const { lastCheckinAt, hasRehearsed, hasSavedCopy, heardOn } = figures;
  const stats = dashboardStats({ ...figures, lastCheckinMs: lastCheckinAt.getTime() }, now.getTime());
  return { ...stats, lastCheckinAt, hasRehearsed, hasSavedCopy, heardOn };
}
