import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { activateEmergency } from '#shared/contract/release/emergency.ts';
import type { Emergencies } from './emergency.service.ts';

/** Said whether or not the two addresses belong together. */
const submitted =
  'If these details match a registered trusted contact, that contact now gets an email: with a link, or with the reason why nothing can begin yet. The account holder is told.';

/** The emergency form. */
export function registerEmergencyRoutes(app: FastifyInstance, emergencies: Emergencies): void {
  bind(app, activateEmergency, async ({ body, origin }) => {
    await emergencies.request(body, origin);
    return { message: submitted };
  });
}
