import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { getDashboardStats } from '#shared/contract/dashboard.ts';
import type { Dashboard } from './dashboard.service.ts';

export function registerDashboardRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  bind(app, getDashboardStats, ({ principal }) => dashboard.stats(principal));
}
