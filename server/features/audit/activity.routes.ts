import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { downloadActivity, getActivity } from '#shared/contract/activity.ts';
import type { ActivityPages } from './activity.service.ts';

export function registerActivityRoutes(app: FastifyInstance, activity: ActivityPages): void {
  bind(app, getActivity, ({ principal, query }) => activity.list(principal.userId, query));
  bind(app, downloadActivity, ({ principal, query }) => activity.download(principal.userId, query));
}
