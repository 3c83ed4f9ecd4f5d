import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { getFeatureAccess, getPlanLimits } from '#shared/contract/dashboard.ts';
import { hasFeature } from '#shared/rules/plans.ts';
import type { PlanLimitsService } from './plan-limits.service.ts';

export function registerPlanLimitsRoutes(app: FastifyInstance, limits: PlanLimitsService): void {
  bind(app, getPlanLimits, ({ principal }) => limits.read(principal));
  bind(app, getFeatureAccess, ({ principal, params }) => ({ hasAccess: hasFeature(principal.plan, params.feature) }));
}
