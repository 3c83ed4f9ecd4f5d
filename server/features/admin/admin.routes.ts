import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import {
  cancelBulkEmail,
  createAdminUser,
  deleteAdminUser,
  getRevenue,
  listAdminUsers,
  listBulkEmails,
  sendBulkEmail,
  updateAdminUser,
  verifyAdminUser,
} from '#shared/contract/admin.ts';
import type { BulkEmails } from './bulk-emails.service.ts';
import type { Revenues } from './revenue.service.ts';
import type { AdminUsers } from './users.service.ts';

export type AdminServices = { adminUsers: AdminUsers; bulkEmails: BulkEmails; revenues: Revenues };

/** What the designated administrator asks and does. */
export function registerAdminRoutes(app: FastifyInstance, { adminUsers, bulkEmails, revenues }: AdminServices): void {
  bind(app, listAdminUsers, ({ principal, origin, query }) => adminUsers.list({ principal, origin }, query));

  bind(app, createAdminUser, ({ principal, origin, body }) => adminUsers.create({ principal, origin }, body));

  bind(app, updateAdminUser, ({ principal, origin, params, body }) =>
    adminUsers.update({ principal, origin }, params.id, body),
  );

  bind(app, verifyAdminUser, ({ principal, origin, params }) => adminUsers.verify({ principal, origin }, params.id));

  bind(app, deleteAdminUser, ({ principal, origin, params }) => adminUsers.remove({ principal, origin }, params.id));

  bind(app, getRevenue, ({ principal, origin }) => revenues.read({ principal, origin }));

  bind(app, sendBulkEmail, ({ principal, origin, body }) => bulkEmails.begin({ principal, origin }, body));

  bind(app, listBulkEmails, ({ principal, origin }) => bulkEmails.list({ principal, origin }));

  bind(app, cancelBulkEmail, ({ principal, origin, params }) => bulkEmails.cancel({ principal, origin }, params.id));
}
