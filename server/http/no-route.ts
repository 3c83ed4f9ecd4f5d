import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, type ErrorType } from '#shared/contract/errors.ts';
import { bareHeaders } from './content-security.ts';

const unreadable = { type: 'VALIDATION', message: 'We could not read this request.' } as const;

/** Node would refuse a request without a host by itself; see `refuseWithoutRoute`. */
export const httpOptions = { requireHostHeader: false };

/**
 * Answers what must reach no route: a request that names no host (RFC 9112 §3.2). Node would say it too, and leave out every
 * header that says what a browser may do with it.
 */
export function refuseWithoutRoute(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (isWithoutHost(request)) done(new AppError(unreadable.type, unreadable.message));
    else done();
  });
  // An expectation we don't know may be passed over (RFC 9110 §10.1.1).
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
}

function isWithoutHost({ raw, headers }: FastifyRequest): boolean {
  return raw.httpVersion === '1.1' && headers.host === undefined;
}

/**
 * Before its end, the site marks each answer as the last of its connection (RFC 9112 §9.6), and still answers
 * requests that arrive. Otherwise a proxy with kept connections could send a form over a closing one, and may not
 * send it twice.
 */
export function partWithProxies(app: FastifyInstance, isEnding: () => boolean = () => false): void {
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.addHook('onRequest', (_request, reply, done) => {
    if (isStopping || isEnding()) reply.header('connection', 'close');
    done();
  });
}

type Refusal = { line: string; type: ErrorType; message: string };

const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    line: '431 Request Header Fields Too Large',
    type: 'VALIDATION',
    message: 'The headers of this request are too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    line: '408 Request Timeout',
    type: 'VALIDATION',
    message: 'This request did not arrive in time.',
  },
};

/** Answers bytes that are no HTTP request. There is no request to log, and nothing to say about it. */
export function answerUnreadable(baseUrl: URL): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const fixed = Object.entries({ ...bareHeaders(baseUrl), 'cache-control': 'no-store' });
  return ({ code = '' }, socket) => {
    if (!socket.writable) return;
    const { line, ...said } = refusals[code] ?? { line: '400 Bad Request', ...unreadable };
    const body = JSON.stringify(said);
    const own = [
      ['content-type', 'application/json; charset=utf-8'],
      ['content-length', String(Buffer.byteLength(body))],
      ['connection', 'close'],
    ];
    const head = [`HTTP/1.1 ${line}`, ...[...fixed, ...own].map(([name, value]) => `${name}: ${value}`)];
    socket.end([...head, '', body].join('\r\n'));
  };
}
