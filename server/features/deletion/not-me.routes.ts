import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { getNotMe, sayNotMe } from '#shared/contract/not-me.ts';
import type { NotMes } from './not-me.service.ts';

export function registerNotMeRoutes(app: FastifyInstance, notMes: NotMes): void {
  bind(app, getNotMe, ({ params }) => notMes.look(params.token));
  bind(app, sayNotMe, ({ params, origin }) => notMes.say(params.token, origin));
}
