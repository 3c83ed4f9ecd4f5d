import type { FastifyInstance } from 'fastify';

/** `List-Unsubscribe=One-Click`, and room for the line between the parts. */
const bodyLimit = 1_000;

/** Lets the routes of this scope take a form, whose content is not looked at: the address says all there is to say. */
export function takeAnyForm(scope: FastifyInstance): void {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data'];
  scope.addContentTypeParser(types, { parseAs: 'buffer', bodyLimit }, (_request, _body, done) => done(null, undefined));
}
