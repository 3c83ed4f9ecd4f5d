import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { AppError } from '#shared/contract/errors.ts';
import {
  getTrusteeMessages,
  listTrusteeRelationships,
  ownerInQuery,
  triggerRelease,
  withdrawConfirmation,
} from '#shared/contract/release/trustee.ts';
import type { TrusteePanels } from './trustee.service.ts';

/** The panel of a trustee. It asks by itself, every few seconds. */
export function registerTrusteeRoutes(app: FastifyInstance, panels: TrusteePanels): void {
  bind(app, listTrusteeRelationships, ({ principal }) => panels.relationships(principal.userId));

  bind(app, getTrusteeMessages, async ({ principal, query }) => {
    const ownerUserId = ownerInQuery(query);
    if (ownerUserId === null) throw new AppError('VALIDATION', 'Invalid input');
    return [await panels.summary(principal.userId, ownerUserId)];
  });

  bind(app, triggerRelease, ({ principal, params, origin }) =>
    panels.trigger({ principal, ownerUserId: params.ownerUserId, origin }),
  );

  bind(app, withdrawConfirmation, ({ principal, params, origin }) =>
    panels.withdraw({ principal, ownerUserId: params.ownerUserId, origin }),
  );
}
