import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDiskFull } from '#server/platform/files/full-disk.ts';
import { AppError, type ErrorType } from '#shared/contract/errors.ts';
import { isPassingTrouble } from './database-trouble.ts';

/** Fastify's own refusals as errors for callers. */
const refusals: Record<string, { type: ErrorType; message: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { type: 'PAYLOAD_TOO_LARGE', message: 'That is more than we can accept at once.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { type: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send this as JSON (application/json).' },
  FST_ERR_BAD_URL: { type: 'NOT_FOUND', message: 'We could not find that.' },
};

const busyRetrySeconds = 5;
const unexpectedMessage = 'Something went wrong on our side. What you sent was not saved. Try again in a minute.';

/** Makes this the one place that writes errors, for every route of `app`. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
}

/** Node's own error where a connection ends in the middle of a body. */
function hasHungUp(error: unknown): boolean {
  return error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET';
}

/** Answers with the error's own status and a body of `errorBodySchema`. Unexpected errors are logged and hidden. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asAppError(error);
  // The caller has left, and a stranger who hangs up must not fill the log with failures.
  if (hasHungUp(error)) request.log.info('request given up by its sender');
  else if (known.status >= 500) request.log.error({ err: error }, 'request failed');
  else request.log.info({ refusal: known.type }, 'request refused');

  const { retryAfterSeconds, ...details } = known.details;
  // A failed request may succeed the next time.
  reply.header('cache-control', 'no-store');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  return reply.code(known.status).send({ message: known.message, type: known.type, ...details });
}

/** The error in a form that callers may read. An unexpected one stays hidden. */
function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;

  const { code, statusCode } = (error ?? {}) as Partial<FastifyError>;
  const refusal = code === undefined ? undefined : refusals[code];
  if (refusal) return new AppError(refusal.type, refusal.message);
  if (isPassingTrouble(error)) {
    return new AppError('UNAVAILABLE', 'We cannot reach our records just now. Try again in a few seconds.', {
      retryAfterSeconds: busyRetrySeconds,
    });
  }
  if (isDiskFull(error)) {
    return new AppError('UNAVAILABLE', 'Our storage is full just now. Nothing was saved. Try again later.');
  }
  const isCallersFault = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  if (isCallersFault) return new AppError('VALIDATION', 'We could not read this request.');
  return new AppError('INTERNAL', unexpectedMessage);
}
