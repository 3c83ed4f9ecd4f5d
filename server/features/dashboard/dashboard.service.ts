import type { z } from 'zod';
import type { Principal } from '#server/features/accounts/accounts.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { dashboardStatsSchema } from '#shared/contract/dashboard.ts';
import { notFound } from '#shared/contract/errors.ts';
import { dayMs, heardOnDays } from '#shared/rules/inactivity.ts';
import { findDashboardFigures } from './dashboard.repository.ts';
import { dashboardStats } from './dashboard.rules.ts';

export type Dashboard = {
  /** The figures of the owner's cards. */
  stats(principal: Principal): Promise<z.output<typeof dashboardStatsSchema>>;
};

export function createDashboard({ db, clock }: { db: Database; clock: Clock }): Dashboard {
  return {
    async stats({ userId }) {
      const now = await clock.now();
      const figures = await findDashboardFigures(db, userId, new Date(now.getTime() - heardOnDays * dayMs));
      if (!figures) throw notFound();

      const { lastCheckinAt, hasRehearsed, hasSavedCopy, heardOn } = figures;
      const stats = dashboardStats({ ...figures, lastCheckinMs: lastCheckinAt.getTime() }, now.getTime());
      return { ...stats, lastCheckinAt, hasRehearsed, hasSavedCopy, heardOn };
    },
  };
}
