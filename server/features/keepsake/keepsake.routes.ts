import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import { copyDeliveredLetter } from '#shared/contract/letters/keepsake.ts';
import type { Keepsakes } from './keepsake.service.ts';

export function registerKeepsakeRoutes(app: FastifyInstance, keepsakes: Keepsakes): void {
  bind(app, copyDeliveredLetter, ({ params, query, reply }) =>
    keepsakes.copy(params.token, { ...query, signal: leftSignal(reply) }),
  );
}
