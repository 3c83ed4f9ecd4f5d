import { parse } from 'node:querystring';
import type { FastifyInstance } from 'fastify';

const bodyBytesMax = 64_000;
const fieldsMax = 100;

/**
 * Lets the routes of this scope take the plain form of old (`application/x-www-form-urlencoded`), which other services
 * post. Other sites can have a browser post it too, so it is for routes that ask for a signature.
 */
export function takeUrlEncoded(scope: FastifyInstance): void {
  scope.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bodyBytesMax },
    (_request, text, done) => done(null, { ...parse(text, '&', '=', { maxKeys: fieldsMax }) }),
  );
}
