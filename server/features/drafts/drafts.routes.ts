import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { deleteDraft, listDrafts, saveDraft } from '#shared/contract/letters/drafts.ts';
import type { Drafts } from './drafts.service.ts';

export function registerDraftRoutes(app: FastifyInstance, drafts: Drafts): void {
  bind(app, listDrafts, ({ principal, query }) => drafts.list(principal, query.key));
  bind(app, saveDraft, ({ principal, params, body }) => drafts.save(principal, params.key, body));
  bind(app, deleteDraft, ({ principal, params, query }) => drafts.remove(principal, params.key, query.version));
}
