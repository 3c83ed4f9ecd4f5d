import type { FastifyInstance, RouteOptions } from 'fastify';
import { AppError, notFound } from '#shared/contract/errors.ts';

const prefix = '/api/';

type Known = { pattern: RegExp; methods: Set<string> };

/**
 * Answers what no route answers. A path below /api that another method would reach gets 405 and says which
 * (RFC 9110 §15.5.6), every other one 404; both in JSON. Call it before any route is added.
 */
export function handleUnknown(app: FastifyInstance): void {
  const known = new Map<string, Known>();
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith(prefix)) remember(known, route);
  });

  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?');
    if (!path.startsWith(prefix)) throw notFound();
    reply.header('cache-control', 'no-store');

    const methods = [...known.values()].filter(({ pattern }) => pattern.test(path)).flatMap((one) => [...one.methods]);
    if (methods.length === 0) throw notFound();
    reply.header('allow', [...new Set(methods), 'OPTIONS'].sort().join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    throw new AppError('METHOD_NOT_ALLOWED', 'This address does not accept that kind of request.');
  });
}

function remember(known: Map<string, Known>, { url, method }: Pick<RouteOptions, 'method'> & { url: string }): void {
  const entry = known.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
  for (const one of [method].flat()) entry.methods.add(one);
  known.set(url, entry);
}

/** `/api/messages/:id` as an expression; a parameter is anything up to the next slash. */
function patternOf(url: string): RegExp {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/:[A-Za-z]+/g, '[^/]+').replace(/\*/g, '.*')}$`);
}
