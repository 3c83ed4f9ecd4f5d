import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  FastifySchemaCompiler,
  RouteOptions,
} from 'fastify';
import { z } from 'zod';
import { takeAnyForm } from '#server/http/bodies/any-form.ts';
import { leftSignal, sendFile, sendStream } from '#server/http/bodies/downloads.ts';
import { takeRawBodies } from '#server/http/bodies/raw-bodies.ts';
import { requireForm, takeForms, uploadOf } from '#server/http/bodies/uploads.ts';
import { takeUrlEncoded } from '#server/http/bodies/url-encoded.ts';
import type { OutgoingFile, OutgoingStream, Upload } from '#server/platform/files/incoming.ts';
import { apiPrefix } from '#shared/api-prefix.ts';
import { errorBodySchema } from '#shared/contract/errors.ts';
import type { Route, RouteAnswer, RouteBody, RouteForm, RouteParams, RouteQuery } from '#shared/contract/route.ts';
import { changeKeyHeader, changeKeyHeaders } from '#shared/contract/vault/versions.ts';
import { guard, isChange, requestOrigin } from './guards.ts';
import type { Principal, RequestOrigin } from './principal.ts';
import { validatorCompiler } from './validation.ts';

type SignedIn = 'session' | 'verified' | 'administrator';

/** Inputs by name. Those that the route does not have are undefined. */
type Inputs<R extends Route> = {
  params: RouteParams<R>;
  query: RouteQuery<R>;
  body: RouteBody<R>;
  /** Form that is read and checked when the use case asks for it. */
  upload: R['form'] extends z.ZodObject ? Upload<RouteForm<R>> : undefined;
  /** Bytes of the body, unchanged. */
  rawBody: R['rawBody'] extends true ? Buffer : undefined;
  /** Key of the change, if the route takes one and the caller sent one. */
  changeKey: R['takesChangeKey'] extends true ? string | undefined : undefined;
};

/** Input of a use case. Everything is checked, and nothing is left to parse. */
export type Call<R extends Route> = {
  /** Null only if the route is open to people who are not signed in. */
  principal: R['access'] extends SignedIn ? Principal : Principal | null;
  origin: RequestOrigin;
} & { [Name in keyof Inputs<R> as Inputs<R>[Name] extends undefined ? never : Name]: Inputs<R>[Name] };

/** Input of a use case that sets cookies, redirects, or reads headers. */
export type HttpCall<R extends Route> = Call<R> & { request: FastifyRequest; reply: FastifyReply };

type Returned<R extends Route> = R['answersFile'] extends true
  ? OutgoingFile
  : R['answersStream'] extends true
    ? OutgoingStream
    : R['answer'] extends z.ZodType
      ? RouteAnswer<R> | FastifyReply
      : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer may simply end.
        void | FastifyReply;

export type Handler<R extends Route> = (call: HttpCall<R>) => Promise<Returned<R>> | Returned<R>;

/**
 * Serves one route of the contract. Before `handler` runs, the caller's budget, session and rights are checked, and
 * the schemas parse the input. The answer passes the answer's schema: undeclared fields are dropped, and a mismatch
 * becomes a 500.
 */
export function bind<R extends Route>(app: FastifyInstance, route: R, handler: Handler<R>): void {
  const status = statusOf(route);
  const isPageForm = !route.path.startsWith(apiPrefix);
  const options: RouteOptions = {
    method: route.method,
    url: route.path,
    schema: schemaOf(route, status),
    config: { isSigned: route.rawBody === true, isPageForm },
    ...(isPageForm
      ? { preValidation: guard(route) }
      : { onRequest: route.form ? [guard(route), requireForm] : guard(route) }),
    handler: async (request, reply) => {
      const { principal } = request;
      const spendText = (bytes: number) => spendWritten(app, route, { principal, bytes });
      // The fields of a form are counted when it was read.
      if (!route.form) await spendText(bodyBytes(request));
      // Reads do not count as use: pages poll and refetch without a person at the keyboard.
      if (principal && route.method !== 'GET') await app.http.sessions.touchSession(principal.sessionId);

      if (route.access === 'token' && !isPageForm) reply.header('x-robots-tag', 'noindex, nofollow');
      const answer = await handler({
        params: request.params,
        query: request.query,
        body: request.body,
        rawBody: route.rawBody && (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)),
        upload: route.form && uploadOf(request, { fields: route.form, spendText, signal: leftSignal(reply) }),
        changeKey: route.takesChangeKey && request.headers[changeKeyHeader],
        principal,
        origin: requestOrigin(request),
        request,
        reply,
      } as unknown as HttpCall<R>);
      if (reply.sent || answer === reply) return reply;
      if (route.answersFile) return sendFile(request, reply, answer as OutgoingFile);
      if (route.answersStream) return sendStream(reply, answer as OutgoingStream);
      // A handler may choose another success status, such as 202 for unfinished work.
      return reply.code(reply.statusCode === defaultStatus ? status : reply.statusCode).send(answer);
    },
  };
  if (route.takesAnyForm) {
    app.register(async (scope) => {
      takeAnyForm(scope);
      scope.route(options);
    });
    return;
  }
  if (route.rawBody) {
    app.register(async (scope) => {
      takeRawBodies(scope);
      scope.route(options);
    });
    return;
  }
  if (route.urlEncoded) {
    app.register(async (scope) => {
      takeUrlEncoded(scope);
      scope.route(options);
    });
    return;
  }
  if (!route.form) {
    app.route(options);
    return;
  }
  // In a scope of its own, so that every other route goes on refusing forms, which other sites can post.
  app.register(async (scope) => {
    await takeForms(scope, route);
    scope.setValidatorCompiler(withoutForm).route(options);
  });
}

type RoutesOf<Contract> = { [Name in keyof Contract as Contract[Name] extends Route ? Name : never]: Contract[Name] };

/** One function for each route of a contract file, with the name of the route. */
type UseCases<App, Contract> = {
  [Name in keyof RoutesOf<Contract>]: RoutesOf<Contract>[Name] extends infer R extends Route
    ? (app: App, call: HttpCall<R>) => ReturnType<Handler<R>>
    : never;
};

/** Serves each route of a contract file by the function of the same name. A missing function does not compile. */
export function serve<App, Contract extends object>(
  http: FastifyInstance,
  app: App,
  contract: Contract,
  useCases: UseCases<App, Contract>,
): void {
  const functions = useCases as Record<string, (app: App, call: unknown) => ReturnType<Handler<Route>>>;
  for (const [name, route] of Object.entries(contract)) {
    const useCase = functions[name];
    if (isRoute(route) && useCase) bind(http, route, (call) => useCase(app, call));
  }
}

function isRoute(exported: unknown): exported is Route {
  return typeof exported === 'object' && exported !== null && 'path' in exported && 'access' in exported;
}

function statusOf(route: Route): number {
  return route.status ?? (route.answer || route.answersFile || route.answersStream ? 200 : redirectStatus);
}

function schemaOf(route: Route, status: number): FastifySchema {
  const errors = { '4xx': errorBodySchema, '5xx': errorBodySchema };
  const fileAnswer = { description: 'The file', content: { 'application/octet-stream': { schema: fileContent } } };
  return {
    summary: route.summary,
    tags: [tagOf(route.path)],
    ...(route.params ? { params: route.params } : {}),
    ...(route.query ? { querystring: route.query } : {}),
    ...(route.body ? { body: route.body } : {}),
    ...(route.takesChangeKey ? { headers: changeKeyHeaders } : {}),
    ...(route.form ? { consumes: ['multipart/form-data'], body: route.form.extend({ file: fileContent }) } : {}),
    ...(isSignedIn(route) ? { security: [{ session: [] }] } : {}),
    response: route.answersFile
      ? { 200: fileAnswer, 206: fileAnswer, ...errors }
      : route.answersStream
        ? { 200: fileAnswer, ...errors }
        : {
            [status]: route.answer ?? z.null(),
            ...(route.otherStatus ? { [route.otherStatus]: route.answer } : {}),
            ...errors,
          },
  };
}

/** Bodies up to this size do not count as text that is written: a check-in, and whatever ends a release, is never refused for it. */
const smallBodyBytes = 1_000;

async function spendWritten(
  app: FastifyInstance,
  route: Route,
  { principal, bytes }: { principal: Principal | null; bytes: number },
): Promise<void> {
  if (!principal || !isChange(route) || bytes <= smallBodyBytes) return;
  await app.http.limits.spendWritten(principal, bytes);
}

/** Bytes of a body that was read. Fastify has checked the announced length; a body in chunks announces none. */
function bodyBytes({ headers, body }: FastifyRequest): number {
  const announced = Number(headers['content-length'] ?? Number.NaN);
  if (!Number.isNaN(announced)) return announced;
  return body === undefined || body === null ? 0 : Buffer.byteLength(JSON.stringify(body));
}

/** Stands for the bytes of a file in the documentation. */
const fileContent = z.string().meta({ format: 'binary' });

/** A form is not there yet when input is checked; its fields are when it was read. */
const withoutForm: FastifySchemaCompiler<z.ZodType> = (given) =>
  given.httpPart === 'body' ? () => ({ value: undefined }) : validatorCompiler(given);

/** Fastify's initial status. */
const defaultStatus = 200;

/** Status of a route without an answer and without a status of its own. */
const redirectStatus = 302;

function isSignedIn({ access }: Route): boolean {
  return access === 'session' || access === 'verified' || access === 'administrator';
}

/** Routes are grouped in the documentation by the noun behind `/api/`. */
function tagOf(path: string): string {
  const [, first = 'api', second] = path.split('/');
  return first === 'api' ? (second ?? first) : first;
}
