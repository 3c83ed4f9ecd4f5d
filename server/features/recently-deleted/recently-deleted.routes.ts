import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { listRecentlyDeleted, removeDeleted, restoreDeleted } from '#shared/contract/vault/recently-deleted.ts';
import type { RecentlyDeleted } from './recently-deleted.service.ts';

export function registerRecentlyDeletedRoutes(app: FastifyInstance, deleted: RecentlyDeleted): void {
  bind(app, listRecentlyDeleted, ({ principal }) => deleted.list(principal));
  bind(app, restoreDeleted, ({ principal, origin, params }) => deleted.restore({ principal, origin, ...params }));
  bind(app, removeDeleted, ({ principal, origin, params }) => deleted.remove({ principal, origin, ...params }));
}
