import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nonceOf } from '#server/http/content-security.ts';
import { sendError } from '#server/http/errors.ts';
import { AppError } from '#shared/contract/errors.ts';
import { formReferrer } from './send-page.ts';
import { tooManyPage } from './too-many.page.ts';

/** If a refusal does not say when to try again. */
const usualWaitSeconds = 60;

/**
 * Counts a page against the general budget of its client. Gives false if it was refused and answered. While the counter
 * cannot be reached, pages that need no database are served.
 */
export async function mayHavePage(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  try {
    await request.server.http.limits.spendGeneral(request.ip);
  } catch (error) {
    if (isTooMany(error)) {
      sendTooMany(request, reply, error);
      return false;
    }
    request.log.warn({ err: error }, 'a page could not be counted');
  }
  return true;
}

/** Largest form over the budget that is still read, so that the page shown instead keeps the typed text. */
const keptFormBytesMax = 16_000;

/**
 * Counts forms of pages before their bodies are read. A small form over the budget is read before it is refused, so that
 * nothing typed is lost. A larger one, or one that announces no size, is refused unread.
 */
export function countPageForms(scope: FastifyInstance): void {
  const refusals = new WeakMap<FastifyRequest, AppError>();
  scope.addHook('onRequest', async (request, reply) => {
    if (!isPageForm(request)) return;
    try {
      await scope.http.limits.spendGeneral(request.ip);
    } catch (error) {
      if (!isTooMany(error) || !isSmall(request)) {
        // The unread body would otherwise stay on the connection.
        reply.header('connection', 'close');
        throw error;
      }
      refusals.set(request, error);
    }
  });
  scope.addHook('preValidation', async (request) => {
    const refused = refusals.get(request);
    if (refused) throw refused;
  });
  scope.setErrorHandler((error, request, reply) =>
    isPageForm(request) && isTooMany(error) ? sendTooMany(request, reply, error) : sendError(error, request, reply),
  );
}

function isPageForm(request: FastifyRequest): boolean {
  return request.routeOptions.config.isPageForm === true;
}

function isSmall({ headers }: FastifyRequest): boolean {
  const bytes = Number(headers['content-length'] ?? Number.NaN);
  return bytes <= keptFormBytesMax;
}

function isTooMany(error: unknown): error is AppError {
  return error instanceof AppError && error.type === 'RATE_LIMITED';
}

function sendTooMany(request: FastifyRequest, reply: FastifyReply, { status, details, type }: AppError): FastifyReply {
  request.log.info({ refusal: type }, 'request refused');
  const seconds = details.retryAfterSeconds ?? usualWaitSeconds;
  const typed = request.method === 'POST' ? fieldsOf(request.body) : null;
  // A form on a page without a referrer would be refused for its origin.
  if (typed) reply.header('referrer-policy', formReferrer);
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'retry-after': String(seconds) })
    .send(tooManyPage({ seconds, nonce: nonceOf(request), typed }));
}

function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
