import type { FastifyInstance } from 'fastify';

/** Longest JSON body: the longest message, with every character escaped, and room for the other fields. */
export const bodyLimitBytes = 1_300_000;

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
