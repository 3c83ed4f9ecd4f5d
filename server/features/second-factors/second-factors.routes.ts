import type { FastifyInstance } from 'fastify';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
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

/** What an owner turns on and off under Privacy & Security. */
export function registerSecondFactorRoutes(app: FastifyInstance, accounts: Accounts): void {
  bind(app, getSecondFactors, ({ principal }) => accounts.secondFactorsOf(principal));

  bind(app, startAuthenticator, ({ principal, origin }) => accounts.startAuthenticator({ ...principal, origin }));

  bind(app, confirmAuthenticator, async ({ principal, body, origin }) => ({
    recoveryCodes: await accounts.confirmAuthenticator({ ...principal, origin }, body.code),
  }));

  bind(app, removeAuthenticator, ({ principal, origin }) => accounts.removeAuthenticator({ ...principal, origin }));

  bind(app, renewRecoveryCodes, async ({ principal, origin }) => ({
    recoveryCodes: await accounts.renewRecoveryCodes({ ...principal, origin }),
  }));

  bind(app, askNewPasskey, ({ principal, origin }) => accounts.askNewPasskey({ ...principal, origin }));

  bind(app, addPasskey, ({ principal, body, origin }) => accounts.addPasskey({ ...principal, origin }, body));

  bind(app, removePasskey, ({ principal, params, origin }) =>
    accounts.removePasskey({ ...principal, origin }, params.id),
  );
}
