import type { FastifyInstance, FastifyRequest } from 'fastify';
import { chainOf } from '#server/platform/error-chain.ts';
import { probePaths } from './health.ts';

/** What is not an error may be anything, however long. */
const thrownLengthMax = 300;

/** Fields that must never be written, wherever a caller of the log puts them. */
const secretFields = ['password', 'currentPassword', 'token', 'authorization', 'cookie', 'content', 'reason'];

type LogDestination = { write(line: string): void };

export type LogSettings = {
  /** pino's level. */
  level: string;
  /** Where lines go; standard output when left out. */
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
 * What may be said of a request: its method and the pattern of its route. Never the address itself, which may be
 * the link of a recipient or of a password reset.
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
 * What may be said of an error. A failed query says its SQL, without the values it was called with; those and
 * PostgreSQL's details ("Key (email)=(…) already exists") hold what people typed.
 */
function describeError(error: unknown): ErrorFacts {
  const [outermost, ...causes] = chainOf(error);
  if (!outermost) return factsOfOther(error);
  return [outermost, ...causes].reduceRight<ErrorFacts | undefined>(
    (cause, link) => ({ ...factsOf(link), ...(cause ? { cause } : {}) }),
    undefined,
  ) as ErrorFacts;
}

/** Libraries emit objects that only look like errors. A bare word that was thrown may be anybody's, and stays unsaid. */
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

/** PostgreSQL repeats what was typed, in quotes: invalid input syntax for type uuid: "…". */
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

/** One line for each answer, once it is out. What machines ask each second is for whoever looks for it. */
export function logAnswers(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, route } = describeRequest(request);
    const level = probePaths.has(route) && reply.statusCode < 500 ? 'debug' : 'info';
    request.log[level]({ method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
  });
}
