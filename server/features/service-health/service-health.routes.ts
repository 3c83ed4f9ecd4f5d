import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { getAdminState } from '#shared/contract/admin-state.ts';
import type { ServiceState } from './state.service.ts';

/** What the designated administrator sees of the service itself. */
export function registerServiceHealthRoutes(app: FastifyInstance, serviceState: ServiceState): void {
  bind(app, getAdminState, ({ principal, origin }) => serviceState.read({ principal, origin }));
}
