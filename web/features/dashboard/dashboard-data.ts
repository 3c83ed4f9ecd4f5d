import type { getDashboardStats, getPlanLimits } from '#shared/contract/dashboard.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { isNearLimit } from '#shared/rules/plans.ts';

export type DashboardStats = RouteResult<typeof getDashboardStats>;
export type PlanLimits = RouteResult<typeof getPlanLimits>;

export type LimitState = 'reached' | 'near' | 'free';

/** True if the plan still takes more: reached where nothing can be added, near from 80 percent of either limit. */
export function limitState({ messages, storage }: PlanLimits): LimitState {
  if (!messages.canCreate || !storage.canUpload) return 'reached';
  return isNearLimit(messages) || isNearLimit(storage) ? 'near' : 'free';
}
