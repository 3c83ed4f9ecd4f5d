import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { getPlanLimits } from '#shared/contract/dashboard.ts';
import type { PlanLimitsService } from './plan-limits.service.ts';

export function registerPlanLimitsRoutes(app: FastifyInstance, limits: PlanLimitsService): void {
  bind(app, getPlanLimits, ({ principal }) => limits.read(principal));
}
