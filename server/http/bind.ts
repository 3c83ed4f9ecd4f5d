import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { errorBodySchema } from '#shared/contract/errors.ts';
import type { Route, RouteAnswer, RouteBody, RouteParams, RouteQuery } from '#shared/contract/route.ts';
import { guard, requestOrigin } from './guards.ts';
import type { Principal, RequestOrigin } from './principal.ts';

type SignedIn = 'session' | 'verified';

/** What a handler is given: everything checked, nothing left to parse. */
export type Call<R extends Route> = {
  params: RouteParams<R>;
  query: RouteQuery<R>;
  body: RouteBody<R>;
  /** Never null where the route wants somebody signed in. */
  principal: R['access'] extends SignedIn ? Principal : Principal | null;
  origin: RequestOrigin;
  request: FastifyRequest;
  reply: FastifyReply;
};

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer may simply end.
type Returned<R extends Route> = R['answer'] extends z.ZodType ? RouteAnswer<R> : void | FastifyReply;

export type Handler<R extends Route> = (call: Call<R>) => Promise<Returned<R>> | Returned<R>;

/**
 * Serves one route of the contract. Before `handler` runs, the caller's budget, session and rights have been checked
 * and the input has passed the route's schemas; its answer leaves through the answer's schema, so that a field which
 * is not declared is dropped and an answer that breaks its promise becomes a 500.
 */
export function bind<R extends Route>(app: FastifyInstance, route: R, handler: Handler<R>): void {
  const status = route.status ?? (route.answer ? 200 : redirectStatus);

  const options: RouteOptions = {
    method: route.method,
    url: route.path,
    schema: {
      summary: route.summary,
      tags: [tagOf(route.path)],
      ...(route.params ? { params: route.params } : {}),
      ...(route.query ? { querystring: route.query } : {}),
      ...(route.body ? { body: route.body } : {}),
      ...(isSignedIn(route) ? { security: [{ session: [] }] } : {}),
      response: { [status]: route.answer ?? z.null(), '4xx': errorBodySchema, '5xx': errorBodySchema },
    },
    onRequest: guard(route),
    handler: async (request, reply) => {
      const { principal } = request;
      // Reads do not count: pages poll and refetch by themselves, and nobody may be at the keyboard.
      if (principal && route.method !== 'GET') await app.http.sessions.touchSession(principal.sessionId);

      const answer = await handler({
        params: request.params,
        query: request.query,
        body: request.body,
        principal,
        origin: requestOrigin(request),
        request,
        reply,
      } as Call<R>);
      if (reply.sent || answer === reply) return reply;
      return reply.code(status).send(answer);
    },
  };
  app.route(options);
}

/** What a route without an answer and without a status of its own does. */
const redirectStatus = 302;

function isSignedIn({ access }: Route): boolean {
  return access === 'session' || access === 'verified';
}

/** Routes are grouped in the documentation by the noun behind `/api/`. */
function tagOf(path: string): string {
  return path.split('/')[2] ?? 'api';
}
