import type { App } from '#server/app.ts';
import type { Call } from '#server/http/bind.ts';
import type * as contract from '#shared/contract/admin.ts';
import { revenueMonths } from '#shared/contract/admin.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { requireAdministrator } from './administrator.ts';
import { countUsers, sumActive, sumMonths, sumPayments } from './revenue.repository.ts';
import { averagePence, monthlyPence } from './revenue.rules.ts';

const pencePerPound = 100;
const pounds = (pence: number) => pence / pencePerPound;

/** Returns the income of the service from payments alone. A given plan adds none. */
export async function getRevenue(
  app: App,
  administrator: Call<typeof contract.getRevenue>,
): Promise<RouteAnswer<typeof contract.getRevenue>> {
  requireAdministrator(administrator);
  const now = await app.clock.now();
  const [totalUsers, active, paid, months] = await Promise.all([
    countUsers(app.db),
    sumActive(app.db),
    sumPayments(app.db),
    sumMonths(app.db, { now, months: revenueMonths }),
  ]);
  return {
    totalUsers,
    totalMonthlyRevenue: pounds(monthlyPence(active)),
    accountUpgrades: paid.payers,
    averageLifetimeValue: pounds(averagePence(paid)),
    months: months.map(({ month, keptPence }) => ({ month, received: pounds(keptPence) })),
  };
}
