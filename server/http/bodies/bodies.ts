import type { FastifyInstance } from 'fastify';
import { AppError } from '#shared/contract/errors.ts';

/** Longest JSON body: the longest message, with every character escaped, and room for the other fields. */
export const bodyLimitBytes = 1_300_000;

/** Limit for the head of a request, because idle connections use up places. */
export const headersTimeoutMs = 60_000;
/** Limit for a body that is not an upload, and for a pause within an upload. */
const bodyTimeoutMs = 60_000;
/** Limit for an upload: a video of 250 MB at 1.2 Mbit/s. */
export const uploadTimeoutMs = 30 * 60_000;

/**
 * Ends requests whose body does not arrive. Node has one timeout for all of them, which must fit the longest upload.
 * A form may take that long if it keeps moving, until it is answered. Every other body has a minute.
 */
export function limitBodyTime(app: FastifyInstance, { timeoutMs = bodyTimeoutMs } = {}): void {
  app.addHook('onRequest', async ({ raw, headers }, reply) => {
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    const isForm = headers['content-type']?.startsWith('multipart/') ?? false;
    let bytesBefore = -1;
    const timer = setInterval(() => {
      const { bytesRead } = raw.socket;
      // A refused form may go on being sent, which would keep its connection.
      const isAwaited = isForm && !reply.raw.writableEnded;
      if (isAwaited && bytesRead > bytesBefore) bytesBefore = bytesRead;
      else raw.destroy();
    }, timeoutMs).unref();
    const stop = () => clearInterval(timer);
    raw.once('end', stop).once('close', stop);
  });
}

/** JSON is UTF-8 (RFC 8259, section 8.1); what says that it is something else would be read as what it is not. */
const charsets: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

/** Refuses a request that names its host twice (RFC 9112, section 3.2): two readers could take it for two sites. */
export function refuseTwoHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length > 1) throw new AppError('VALIDATION', 'This request names two hosts.');
  });
}

/**
 * Takes JSON and nothing else. A form that another site posts has another content type, so it gets 415.
 * An empty body is nothing, whatever its header says, and keys that reach for an object's prototype are dropped.
 */
export function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', async ({ headers }) => {
    const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1];
    if (charset && !charsets.has(charset.toLowerCase())) {
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the request as UTF-8.');
    }
  });
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined);
    else parse(request, text, done);
  });
}
