import type { Principal } from '#server/features/accounts/accounts.service.ts';
import type { Database } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { type PlanLimits, planLimits } from './plan-limits.rules.ts';
import { findUsage } from './usage.repository.ts';

export type PlanLimitsService = {
  /** What the owner's plan still allows. It informs; the limits are kept where things are created. */
  read(principal: Principal): Promise<PlanLimits>;
};

export function createPlanLimits({ db }: { db: Database }): PlanLimitsService {
  return {
    async read({ userId }) {
      const usage = await findUsage(db, userId);
      if (!usage) throw notFound();
      return planLimits(usage);
    },
  };
}
