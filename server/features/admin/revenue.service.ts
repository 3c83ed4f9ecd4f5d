import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { type getRevenue, revenueMonths } from '#shared/contract/admin.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type { Administration, Administrator } from './administrator.service.ts';
import { countUsers, sumActive, sumMonths, sumPayments } from './revenue.repository.ts';
import { averagePence, monthlyPence } from './revenue.rules.ts';

export type Revenues = {
  /** What the service earns, from payments alone: a plan that was given brings nothing. */
  read(administrator: Administrator): Promise<RouteAnswer<typeof getRevenue>>;
};

type Dependencies = { db: Database; clock: Clock; administration: Administration };

const pencePerPound = 100;
const pounds = (pence: number) => pence / pencePerPound;

export function createRevenues({ db, clock, administration }: Dependencies): Revenues {
  return {
    async read(administrator) {
      administration.requireAdministrator(administrator);
      const now = await clock.now();
      const [totalUsers, active, paid, months] = await Promise.all([
        countUsers(db),
        sumActive(db),
        sumPayments(db),
        sumMonths(db, { now, months: revenueMonths }),
      ]);
      return {
        totalUsers,
        totalMonthlyRevenue: pounds(monthlyPence(active)),
        accountUpgrades: paid.payers,
        averageLifetimeValue: pounds(averagePence(paid)),
        months: months.map(({ month, keptPence }) => ({ month, received: pounds(keptPence) })),
      };
    },
  };
}
