import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { beginWork, type RunningWork } from '#server/platform/running-work/running-work.ts';
import { sendError } from './errors.ts';
import { networkBucket } from './rate-limits.rules.ts';

/** Names each request to the watchdog by its route, and answers it if it raises an error that no code catches. */
export function followRequests(app: FastifyInstance): void {
  const works = new WeakMap<FastifyRequest, RunningWork>();
  app.addHook('onRequest', (request, reply, done) => {
    const name = `${request.method} ${request.routeOptions.url ?? 'page'}`;
    const work = beginWork(name, {
      onUncaught: (error) => answerUncaught(error, request, reply),
      sender: `network ${networkBucket(request.ip)}`,
    });
    works.set(request, work);
    // Also if the visitor left before the answer.
    reply.raw.once('close', work.end);
    work.run(done);
  });
  // Bytes of a body come from the connection, which does not know the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const work = works.get(request);
    if (work) work.run(done);
    else done();
  });
}

function answerUncaught(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
  else sendError(error, request, reply);
}
