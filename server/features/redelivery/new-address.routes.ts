import type { FastifyInstance, FastifyReply } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { answerNewAddress, getNewAddress, proposeNewAddress } from '#shared/contract/release/new-address.ts';
import type { NewAddresses } from './new-address.service.ts';

/** The page on which a contact proposes another address for somebody who could not be reached. */
export function registerNewAddressRoutes(app: FastifyInstance, releases: NewAddresses): void {
  bind(app, getNewAddress, async ({ params, reply }) => {
    keepPrivate(reply);
    return releases.readNewAddress(params.token);
  });

  bind(app, proposeNewAddress, async ({ params, body, origin, reply }) => {
    keepPrivate(reply);
    return releases.proposeAddress({ token: params.token, ...body, origin });
  });

  bind(app, answerNewAddress, async ({ params, body, origin, reply }) => {
    keepPrivate(reply);
    return releases.answerProposal({ token: params.token, ...body, origin });
  });
}

function keepPrivate(reply: FastifyReply): void {
  reply.header('x-robots-tag', 'noindex, nofollow').header('cache-control', 'no-store');
}
