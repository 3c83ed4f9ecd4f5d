import type { FastifyInstance, FastifyRequest } from 'fastify';
import { beginRequest, type RequestSpan } from '#server/platform/tracing/tracing.ts';
import { probePaths } from './health.ts';

/**
 * One span per request, named by its route pattern and never by its address, which may be a person's link. Probes
 * have none.
 */
export function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('onRequest', (request, _reply, done) => {
    const route = routeOf(request);
    if (probePaths.has(route)) return done();
    const span = beginRequest(request.method);
    spans.set(request, span);
    span.run(done);
  });
  // Events of a body come from its connection, which does not know the span.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
  app.addHook('onResponse', async (request, reply) => {
    spans.get(request)?.end({ route: routeOf(request), status: reply.statusCode });
  });
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}
