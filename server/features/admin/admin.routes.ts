import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { cancelBulkEmail, getRevenue, listBulkEmails, sendBulkEmail } from '#shared/contract/admin.ts';
import type { BulkEmails } from './bulk-emails.service.ts';
import type { Revenues } from './revenue.service.ts';

export type AdminServices = { bulkEmails: BulkEmails; revenues: Revenues };

/** What the designated administrator asks and does. */
export function registerAdminRoutes(app: FastifyInstance, { bulkEmails, revenues }: AdminServices): void {
  bind(app, getRevenue, ({ principal, origin }) => revenues.read({ principal, origin }));

  bind(app, sendBulkEmail, ({ principal, origin, body }) => bulkEmails.begin({ principal, origin }, body));

  bind(app, listBulkEmails, ({ principal, origin }) => bulkEmails.list({ principal, origin }));

  bind(app, cancelBulkEmail, ({ principal, origin, params }) => bulkEmails.cancel({ principal, origin }, params.id));
}
