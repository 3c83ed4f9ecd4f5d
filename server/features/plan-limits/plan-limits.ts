import type { App } from '#server/app.ts';
import type { Call } from '#server/http/bind.ts';
import type * as contract from '#shared/contract/dashboard.ts';
import { notFound } from '#shared/contract/errors.ts';
import { hasFeature } from '#shared/rules/plans.ts';
import { type PlanLimits, planLimits } from './plan-limits.rules.ts';
import { findUsage } from './usage.repository.ts';

/**
 * Returns how much room the owner's plan has left, for information. The functions that create things enforce the limits.
 * @throws AppError `NOT_FOUND` if the account is gone.
 */
export async function getPlanLimits(
  { db }: App,
  { principal }: Call<typeof contract.getPlanLimits>,
): Promise<PlanLimits> {
  const usage = await findUsage(db, principal.userId);
  if (!usage) throw notFound();
  return planLimits(usage);
}

export function getFeatureAccess(_app: App, { principal, params }: Call<typeof contract.getFeatureAccess>) {
  return { hasAccess: hasFeature(principal.plan, params.feature) };
}
