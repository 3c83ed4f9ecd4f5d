import cookie from '@fastify/cookie';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import {
  bodyLimitBytes,
  headersTimeoutMs,
  limitBodyTime,
  refuseTwoHosts,
  takeJsonOnly,
  uploadTimeoutMs,
} from '#server/http/bodies/bodies.ts';
import { securityHeaders } from './http/content-security.ts';
import type { SessionLookup } from './http/context.ts';
import { registerCspReports } from './http/csp-reports.ts';
import { collectDocs, registerDocs } from './http/docs.ts';
import { answerDoctor, type Derive } from './http/doctor-answers.ts';
import { handleErrors, sendError } from './http/errors.ts';
import { requireOwnOrigin } from './http/guards.ts';
import { type Readiness, registerHealth } from './http/health.ts';
import { limitConnections } from './http/limits/connections.ts';
import { type Shedding, shedOverload, usualShedding } from './http/limits/shedding.ts';
import { type LogSettings, logAnswers, loggerOptions } from './http/logging.ts';
import { type MetricsOptions, registerMetrics } from './http/metrics.ts';
import { answerUnreadable, httpOptions, partWithProxies, refuseWithoutRoute } from './http/no-route.ts';
import { handleUnknown } from './http/not-found.ts';
import { registerEntryForms } from './http/pages/entry-forms.ts';
import { loadLinkedPages } from './http/pages/linked-pages.ts';
import { countPageForms } from './http/pages/page-budget.ts';
import { pageReader, type WebOptions } from './http/pages/page-files.ts';
import { registerPageForms } from './http/pages/page-forms.ts';
import { registerWeb } from './http/pages/static.ts';
import type { RateLimits } from './http/rate-limits.ts';
import { followRequests } from './http/running-requests.ts';
import { createSessionCookie } from './http/session.ts';
import { traceRequests } from './http/tracing.ts';
import { setSchemas } from './http/validation.ts';

export type HttpAppOptions = {
  /** The public address, without a path. */
  baseUrl: string;
  /** The proxies whose word about a client's address is taken; false for none. */
  trustProxy: readonly string[] | false;
  log: LogSettings;
  sessions: SessionLookup;
  limits: RateLimits;
  readiness: () => Promise<Readiness>;
  /** True once this process was asked to end. Undefined if no such signal exists. */
  isEnding?: (() => boolean) | undefined;
  /** Undefined if nothing is measured. */
  metrics?: MetricsOptions | undefined;
  /** Makes the proofs by which `everkept doctor` and this site know each other. Left out where it is not answered. */
  derive?: Derive | undefined;
  /** Adds the routes of every feature, with `bind`. */
  registerRoutes: (app: FastifyInstance) => void | Promise<void>;
  /** Adds routes outside the contract, such as the outbox. */
  registerPages?: ((app: FastifyInstance) => void | Promise<void>) | undefined;
  /** Time after which the API asks callers to try again. */
  shedding?: Shedding | undefined;
  /** The built web; without it only the API is served. */
  web?: WebOptions | undefined;
};

/** Tokens in a path are up to 128 characters, escaped ones longer. */
const pathParameterLengthMax = 400;

/** Builds the application from its parts. It does not listen; `close` waits for the answers under way. */
export async function buildHttpApp(options: HttpAppOptions): Promise<FastifyInstance> {
  const baseUrl = new URL(options.baseUrl);
  const secure = securityHeaders({ baseUrl });
  const app = fastify({
    logger: loggerOptions(options.log),
    // Fastify's own log lines contain the address of a request, which may be a person's private link.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => crypto.randomUUID(),
    trustProxy: options.trustProxy === false ? false : [...options.trustProxy],
    bodyLimit: bodyLimitBytes,
    // A video may take long to arrive; everything else has less time, by `limitBodyTime`.
    requestTimeout: uploadTimeoutMs,
    http: { ...httpOptions, headersTimeout: headersTimeoutMs },
    routerOptions: { maxParamLength: pathParameterLengthMax },
    // Requests that come while this process stops are still answered. See `partWithProxies`.
    return503OnClosing: false,
    // Requests that cannot be routed, such as a path with a broken escape, pass no hook.
    frameworkErrors: (error, request, reply) => {
      secure.call(app, request, reply, () => undefined);
      sendError(error, request, reply);
    },
    clientErrorHandler: answerUnreadable(baseUrl),
  });
  const sessionCookie = createSessionCookie(baseUrl);
  app.decorate('http', { baseUrl, sessionCookie, sessions: options.sessions, limits: options.limits });
  app.decorateRequest('principal', null);

  limitConnections(app.server, options.trustProxy !== false);
  traceRequests(app);
  followRequests(app);
  app.addHook('onRequest', secure);
  refuseTwoHosts(app);
  refuseWithoutRoute(app);
  partWithProxies(app, options.isEnding);
  setSchemas(app);
  takeJsonOnly(app);
  limitBodyTime(app);
  handleErrors(app);
  handleUnknown(app);
  if (options.derive) answerDoctor(app, options.derive);
  logAnswers(app);
  await app.register(cookie);
  registerHealth(app, options.readiness);
  const registry = options.metrics && registerMetrics(app, options.metrics);
  registerCspReports(app, { limits: options.limits, registry });
  await collectDocs(app, { baseUrl, cookieName: sessionCookie.name });
  const read = options.web && pageReader({ ...options.web, baseUrl });
  const linkedPages = options.web && read && (await loadLinkedPages(options.web, read));
  await app.register(async (api) => {
    await registerApi(api, options);
    if (linkedPages) {
      registerPageForms(api, linkedPages);
      registerEntryForms(api, linkedPages);
    }
  });
  await options.registerPages?.(app);
  if (options.web && read && linkedPages) {
    await registerWeb(app, { distDir: options.web.distDir, baseUrl, read, linkedPages });
  }
  await app.ready();
  return app;
}

async function registerApi(api: FastifyInstance, options: HttpAppOptions): Promise<void> {
  const { registerRoutes, shedding = usualShedding } = options;
  await shedOverload(api, shedding);
  api.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('x-request-id', request.id);
    const { isSigned, isPageForm } = request.routeOptions.config;
    if (!isSigned && !isPageForm) await spendGeneral(api, request, reply);
    await requireOwnOrigin(request);
  });
  countPageForms(api);
  await registerRoutes(api);
  registerDocs(api);
}

/** A call over budget ends its connection, because its body could keep one open for a minute. */
async function spendGeneral(api: FastifyInstance, { ip }: FastifyRequest, reply: FastifyReply): Promise<void> {
  try {
    await api.http.limits.spendGeneral(ip);
  } catch (error) {
    reply.header('connection', 'close');
    throw error;
  }
}
