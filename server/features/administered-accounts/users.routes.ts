import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import {
  createAdminUser,
  deleteAdminUser,
  listAdminUsers,
  updateAdminUser,
  verifyAdminUser,
} from '#shared/contract/admin.ts';
import type { AdminUsers } from './users.service.ts';

/** Accounts, as the designated administrator looks after them. */
export function registerAdminUserRoutes(app: FastifyInstance, { adminUsers }: { adminUsers: AdminUsers }): void {
  bind(app, listAdminUsers, ({ principal, origin, query }) => adminUsers.list({ principal, origin }, query));

  bind(app, createAdminUser, ({ principal, origin, body }) => adminUsers.create({ principal, origin }, body));

  bind(app, updateAdminUser, ({ principal, origin, params, body }) =>
    adminUsers.update({ principal, origin }, params.id, body),
  );

  bind(app, verifyAdminUser, ({ principal, origin, params }) => adminUsers.verify({ principal, origin }, params.id));

  bind(app, deleteAdminUser, ({ principal, origin, params }) => adminUsers.remove({ principal, origin }, params.id));
}
