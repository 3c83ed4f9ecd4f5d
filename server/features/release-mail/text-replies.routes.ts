import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { receiveText } from '#shared/contract/texts.ts';
import type { TextInbox } from './text-replies.service.ts';

/** Where the provider of texts posts what people answer. */
export function registerTextRoutes(app: FastifyInstance, inbox: TextInbox): void {
  bind(app, receiveText, async ({ body, request, reply, origin }) => {
    const signature = request.headers['x-twilio-signature'];
    const posted = { fields: body, path: request.originalUrl, origin };
    const answer = await inbox.receive({ ...posted, signature: typeof signature === 'string' ? signature : undefined });
    return reply.type('text/xml; charset=utf-8').send(answer);
  });
}
