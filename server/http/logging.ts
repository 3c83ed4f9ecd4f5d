import type { FastifyInstance, FastifyRequest } from 'fastify';
import { chainOf } from '#server/platform/error-chain.ts';

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
  if (!outermost) return { type: typeof error, message: 'Something was thrown that is not an error.', stack: '' };
  return [outermost, ...causes].reduceRight<ErrorFacts | undefined>(
    (cause, link) => ({ ...factsOf(link), ...(cause ? { cause } : {}) }),
    undefined,
  ) as ErrorFacts;
}

function factsOf(error: Error): ErrorFacts {
  const code = textField(error, 'code');
  const constraint = textField(error, 'constraint');
  return {
    type: error.name,
    message: messageOf(error),
    // The first lines repeat the message.
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
    ...(code ? { code } : {}),
    ...(constraint ? { constraint } : {}),
  };
}

function messageOf(error: Error): string {
  if ('query' in error) return `Failed query: ${String(error.query)}`;
  // PostgreSQL repeats what was typed, in quotes: invalid input syntax for type uuid: "…".
  return 'severity' in error ? error.message.replace(/"[^"]*"/g, '"…"') : error.message;
}

function textField(error: Error, field: string): string | undefined {
  const value: unknown = (error as unknown as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : undefined;
}

/** One line for each answer, once it is out. */
export function logAnswers(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, route } = describeRequest(request);
    request.log.info({ method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
  });
}
