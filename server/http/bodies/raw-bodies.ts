import type { FastifyInstance } from 'fastify';

/** Longest webhook we take; the longest that providers send are a tenth of it. */
export const rawBodyBytesMax = 512_000;

/** Lets the routes of this scope have JSON as the bytes that came: written again, it would not fit its signature. */
export function takeRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: rawBodyBytesMax },
    (_request, bytes, done) => done(null, bytes),
  );
}
