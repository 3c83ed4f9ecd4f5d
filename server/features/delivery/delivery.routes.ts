import type { FastifyInstance, FastifyReply } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { AppError } from '#shared/contract/errors.ts';
import {
  downloadDeliveredAttachment,
  getDeliveredMessage,
  openLetter,
  recordOpening,
  renewDelivery,
} from '#shared/contract/letters/delivery.ts';
import { getDeliveredEnclosure } from '#shared/contract/letters/enclosures.ts';
import type { Deliveries } from './delivery.service.ts';

/** Led on by GET, whatever was sent (RFC 9110 §15.4.4). */
const seeOther = 303;

/** The pages behind a recipient's link. Whoever holds the link may read, so nothing may keep or list a copy. */
export function registerDeliveryRoutes(app: FastifyInstance, deliveries: Deliveries): void {
  bind(app, getDeliveredMessage, async ({ params, reply }) => {
    keepPrivate(reply);
    return deliveries.read(params.token);
  });

  bind(app, downloadDeliveredAttachment, ({ params }) => deliveries.attachment(params.token));

  bind(app, getDeliveredEnclosure, ({ params }) => deliveries.enclosure(params.token, params.enclosureId));

  bind(app, recordOpening, async ({ params, reply }) => {
    keepPrivate(reply);
    await deliveries.recordOpening(params.token);
    return { ok: true as const };
  });

  bind(app, openLetter, async ({ params, reply }) => {
    keepPrivate(reply);
    const page = `/message/${encodeURIComponent(params.token)}`;
    try {
      await deliveries.recordOpening(params.token);
    } catch (error) {
      // Whoever presses a link that has ended is told so by its page, which offers a new one.
      if (!(error instanceof AppError && error.type === 'NOT_FOUND')) throw error;
    }
    return reply.redirect(`${page}?open`, seeOther);
  });

  bind(app, renewDelivery, async ({ params, reply }) => {
    keepPrivate(reply);
    await deliveries.renew(params.token);
    // True of every link, also of one whose release is stopped for now: which that is, is nobody's to see here.
    return {
      message: 'If the message is still kept, a new link goes to the address it was written for. It can take a while.',
    };
  });
}

function keepPrivate(reply: FastifyReply): void {
  reply.header('x-robots-tag', 'noindex, nofollow').header('cache-control', 'no-store');
}
