import type { FastifyInstance, FastifyRequest } from 'fastify';
import { chainOf } from '#server/platform/error-chain.ts';
import { probePaths } from './health.ts';

/** Thrown values that are not errors may have any length. */
const thrownLengthMax = 300;

/** Fields that must never be written, wherever a caller of the log puts them. */
const secretFields = ['password', 'currentPassword', 'token', 'authorization', 'cookie', 'content', 'reason'];

type LogDestination = { write(line: string): void };

export type LogSettings = {
  /** pino's level. */
  level: string;
  /** Destination of lines; default: standard output. */
  destination?: LogDestination | undefined;
};

/** pino's options: JSON lines with UTC times, without secrets. */
export function loggerOptions({ level, destination }: LogSettings) {
  return {
    level,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    base: null,
    redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), remove: true },
    serializers: { err: describeError, req: describeRequest },
    ...(destination ? { stream: destination } : {}),
  };
}

/**
 * Loggable part of a request: method and route pattern. Never the address, which may be a recipient's link or a
 * password reset.
 */
function describeRequest(request: FastifyRequest): { method: string; route: string } {
  return { method: request.method, route: request.routeOptions?.url ?? 'unknown' };
}

type ErrorFacts = {
  type: string;
  message: string;
  stack: string;
  code?: string;
  constraint?: string;
  cause?: ErrorFacts;
};

/**
 * Loggable part of an error. A failed query shows its SQL without values. Values and PostgreSQL's details ("Key
 * (email)=(…) already exists") hold typed text.
 */
function describeError(error: unknown): ErrorFacts {
  const [outermost, ...causes] = chainOf(error);
  if (!outermost) return factsOfOther(error);
  return [outermost, ...causes].reduceRight<ErrorFacts | undefined>(
    (cause, link) => ({ ...factsOf(link), ...(cause ? { cause } : {}) }),
    undefined,
  ) as ErrorFacts;
}

/** Libraries throw objects that only resemble errors. A bare string may hold personal data, and is not logged. */
function factsOfOther(thrown: unknown): ErrorFacts {
  const isObject = typeof thrown === 'object' && thrown !== null;
  const { name, message, code, stack } = (isObject ? thrown : {}) as Record<string, unknown>;
  const words = typeof message === 'string' ? maskQuotes(message).slice(0, thrownLengthMax) : '';
  return {
    type: typeof name === 'string' ? name : typeof thrown,
    message: words === '' ? `A ${typeof thrown} was thrown, which is no error.` : `Not an error: ${words}`,
    stack: typeof stack === 'string' ? framesOf(stack) : '',
    ...(typeof code === 'string' ? { code } : {}),
  };
}

function factsOf(error: Error): ErrorFacts {
  const code = textField(error, 'code');
  const constraint = textField(error, 'constraint');
  return {
    type: error.name,
    message: messageOf(error),
    stack: framesOf(error.stack ?? ''),
    ...(code ? { code } : {}),
    ...(constraint ? { constraint } : {}),
  };
}

/** The first lines repeat the message. */
function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

/** PostgreSQL quotes typed text: invalid input syntax for type uuid: "…". */
function maskQuotes(message: string): string {
  return message.replace(/"[^"]*"/g, '"…"');
}

function messageOf(error: Error): string {
  if ('query' in error) return `Failed query: ${String(error.query)}`;
  return 'severity' in error ? maskQuotes(error.message) : error.message;
}

function textField(error: Error, field: string): string | undefined {
  const value: unknown = (error as unknown as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : undefined;
}

/** Logs each answer once it is sent. Frequent machine requests are logged at the debug level. */
export function logAnswers(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, route } = describeRequest(request);
    const level = probePaths.has(route) && reply.statusCode < 500 ? 'debug' : 'info';
    request.log[level]({ method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
  });
}
