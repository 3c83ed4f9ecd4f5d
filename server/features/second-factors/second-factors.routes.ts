import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import {
  addPasskey,
  askNewPasskey,
  confirmAuthenticator,
  getSecondFactors,
  removeAuthenticator,
  removePasskey,
  renewRecoveryCodes,
  startAuthenticator,
} from '#shared/contract/second-factors.ts';
import type { SecondFactors } from './second-factors.service.ts';

/** What an owner turns on and off under Privacy & Security. */
export function registerSecondFactorRoutes(
  app: FastifyInstance,
  { secondFactors }: { secondFactors: SecondFactors },
): void {
  bind(app, getSecondFactors, ({ principal }) => secondFactors.secondFactorsOf(principal));

  bind(app, startAuthenticator, ({ principal, origin }) => secondFactors.startAuthenticator({ ...principal, origin }));

  bind(app, confirmAuthenticator, async ({ principal, body, origin }) => ({
    recoveryCodes: await secondFactors.confirmAuthenticator({ ...principal, origin }, body.code),
  }));

  bind(app, removeAuthenticator, ({ principal, origin }) =>
    secondFactors.removeAuthenticator({ ...principal, origin }),
  );

  bind(app, renewRecoveryCodes, async ({ principal, origin }) => ({
    recoveryCodes: await secondFactors.renewRecoveryCodes({ ...principal, origin }),
  }));

  bind(app, askNewPasskey, ({ principal, origin }) => secondFactors.askNewPasskey({ ...principal, origin }));

  bind(app, addPasskey, ({ principal, body, origin }) => secondFactors.addPasskey({ ...principal, origin }, body));

  bind(app, removePasskey, ({ principal, params, origin }) =>
    secondFactors.removePasskey({ ...principal, origin }, params.id),
  );
}
