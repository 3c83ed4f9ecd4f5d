import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { listChecklists, saveChecklist } from '#shared/contract/guidance.ts';
import type { Guidance } from './guidance.service.ts';

export function registerGuidanceRoutes(app: FastifyInstance, guidance: Guidance): void {
  bind(app, listChecklists, ({ principal }) => guidance.list(principal));
  bind(app, saveChecklist, ({ principal, origin, params, body }) =>
    guidance.save({ principal, origin, checklistId: params.checklistId }, body),
  );
}
