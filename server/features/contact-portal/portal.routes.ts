import type { FastifyInstance, FastifyReply } from 'fastify';
import { bind } from '#server/http/bind.ts';
import {
  confirmRelease,
  downloadPortalDocument,
  getPortal,
  giveOwnerAddress,
  sayNotAsked,
  takeBackConfirmation,
} from '#shared/contract/release/portal.ts';
import type { Portals } from './portal.service.ts';

/** The page behind a contact's link. */
export function registerPortalRoutes(app: FastifyInstance, portals: Portals): void {
  bind(app, getPortal, async ({ params, reply }) => {
    keepPrivate(reply);
    return portals.read(params.token);
  });

  bind(app, downloadPortalDocument, ({ params }) => portals.document(params.token, params.id));

  bind(app, confirmRelease, async ({ params, body, origin, reply }) => {
    keepPrivate(reply);
    return portals.decide({ token: params.token, ...body, origin });
  });

  bind(app, takeBackConfirmation, async ({ params, origin, reply }) => {
    keepPrivate(reply);
    return portals.takeBack({ token: params.token, origin });
  });

  bind(app, giveOwnerAddress, async ({ params, body, origin, reply }) => {
    keepPrivate(reply);
    return portals.giveAddress({ token: params.token, ...body, origin });
  });

  bind(app, sayNotAsked, async ({ params, origin, reply }) => {
    keepPrivate(reply);
    return portals.sayNotAsked({ token: params.token, origin });
  });
}

function keepPrivate(reply: FastifyReply): void {
  reply.header('x-robots-tag', 'noindex, nofollow').header('cache-control', 'no-store');
}
