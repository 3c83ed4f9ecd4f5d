import type { FastifyInstance } from 'fastify';

/** Longest JSON body: the longest message, with every character escaped, and room for the other fields. */
export const bodyLimitBytes = 1_300_000;

/** How long a client may take for the head of a request: an idle connection must not hold a place. */
export const headersTimeoutMs = 60_000;
/** How long for a body that is no upload, and how long an upload may stand still. */
const bodyTimeoutMs = 60_000;
/** How long for an upload: a video of 250 MB over a line of 1.2 Mbit/s. */
export const uploadTimeoutMs = 30 * 60_000;

/**
 * Ends requests whose body does not come. Node has one timeout for all of them, which has to be long enough for the
 * longest upload; so a form may take that long as long as it moves, and every other body has a minute.
 */
export function limitBodyTime(app: FastifyInstance, { timeoutMs = bodyTimeoutMs } = {}): void {
  app.addHook('onRequest', async ({ raw, headers }) => {
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    const isForm = headers['content-type']?.startsWith('multipart/') ?? false;
    let bytesBefore = -1;
    const timer = setInterval(() => {
      const { bytesRead } = raw.socket;
      if (isForm && bytesRead > bytesBefore) bytesBefore = bytesRead;
      else raw.destroy();
    }, timeoutMs).unref();
    const stop = () => clearInterval(timer);
    raw.once('end', stop).once('close', stop);
  });
}

/**
 * Takes JSON and nothing else. A form that another site posts has another content type, so it gets 415.
 * An empty body is nothing, whatever its header says, and keys that reach for an object's prototype are dropped.
 */
export function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined);
    else parse(request, text, done);
  });
}
