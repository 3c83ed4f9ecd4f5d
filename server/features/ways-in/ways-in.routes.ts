import type { FastifyInstance } from 'fastify';
import { createTicketCookie } from '#server/features/sessions/external-sign-in.routes.ts';
import type { ExternalSignIn } from '#server/features/sessions/external-sign-in.service.ts';
import { bind } from '#server/http/bind.ts';
import { IdentityError } from '#server/platform/identity/identity-provider.ts';
import { AppError } from '#shared/contract/errors.ts';
import {
  getIdentityLink,
  getIdentityUnlink,
  linkIdentity,
  removeIdentity,
  removePassword,
  startIdentityLink,
  unlinkIdentity,
} from '#shared/contract/sign-in/ways-in.ts';
import { lookAtLink, lookAtUnlink, pressLink, pressUnlink } from './identity-links.service.ts';
import {
  removeIdentity as remove,
  removePassword as removeOwnPassword,
  requireLinkable,
  type WaysInDependencies,
} from './ways-in.service.ts';

/** Ways to sign in: what an owner links and removes, and the pages of the mails about a provider. */
export function registerWaysInRoutes(
  app: FastifyInstance,
  { waysIn, external }: { waysIn: WaysInDependencies; external: Pick<ExternalSignIn, 'begin'> },
): void {
  const ticketCookie = createTicketCookie(app);

  bind(app, startIdentityLink, async ({ body, principal, origin, reply }) => {
    await requireLinkable(waysIn, { ...principal, origin });
    try {
      const { url, ticket } = await external.begin(body.provider, { links: principal.sessionId });
      ticketCookie.set(reply, ticket);
      return { url };
    } catch (error) {
      if (error instanceof IdentityError)
        throw new AppError('UNAVAILABLE', 'The provider does not answer. Try again later.');
      throw error;
    }
  });

  bind(app, removeIdentity, ({ params, principal, origin }) => remove(waysIn, { ...principal, origin }, params.id));
  bind(app, removePassword, ({ principal, origin }) => removeOwnPassword(waysIn, { ...principal, origin }));

  bind(app, getIdentityLink, ({ params }) => lookAtLink(waysIn, params.token));
  bind(app, linkIdentity, ({ params, origin }) => pressLink(waysIn, params.token, origin));
  bind(app, getIdentityUnlink, ({ params }) => lookAtUnlink(waysIn, params.token));
  bind(app, unlinkIdentity, ({ params, origin }) => pressUnlink(waysIn, params.token, origin));
}
