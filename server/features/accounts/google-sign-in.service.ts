import { z } from 'zod';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { hashToken } from '#server/platform/crypto/token.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { IdentityError, type IdentityProvider } from '#server/platform/identity/identity-provider.ts';
import { finishGoogleSignIn } from '#shared/contract/identity.ts';
import { type PlanName, planNames } from '#shared/rules/plans.ts';
import { identityTicketBudget, identityTicketMs, type SpendBudget } from './accounts.limits.ts';
import type { ActivityLog } from './activity.service.ts';
import { createIdentityAccounts } from './identity-accounts.service.ts';
import type { Caller, OpenStep, SecondStepKeeper } from './second-step.service.ts';
import { startSession } from './session-start.service.ts';
import type { SessionKeeper } from './sessions.service.ts';

/** The provider, and the keys that seal what the browser keeps while it is there. */
export type Google = { provider: IdentityProvider; serviceKeys: Pick<ServiceKeys, 'seal' | 'unsealCarried'> };

export type GoogleReturn = Omit<Caller, 'device'> & {
  /** What `begin` gave to this browser; null where it brought none. */
  ticket: string | null;
  /** The query of the address it came back to. */
  query: string;
};

export type GoogleSignIn = {
  /**
   * Where to send the browser, and a ticket that it must bring back within ten minutes. `plan` is remembered for an
   * account that is not there yet.
   *
   * @throws IdentityError
   */
  begin(plan: PlanName): Promise<{ url: string; ticket: string }>;
  /**
   * Signs in whoever Google says came back, in an account that is theirs, linked or new. Gives the session's token, or,
   * where a second factor is turned on, what the browser needs for the second step.
   *
   * @throws IdentityError `refused` where nothing is proved or the account is not theirs; AppError `RATE_LIMITED`
   * for a ticket that was used.
   */
  complete(answer: GoogleReturn): Promise<{ token: string } | OpenStep>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  vaults: Vaults;
  audit: Audit;
  notifications: Notifications;
  spendBudget: SpendBudget;
  activity: ActivityLog;
  sessions: SessionKeeper;
  secondStep: Pick<SecondStepKeeper, 'beginStep'>;
  baseUrl: string;
  google: Google;
};

const ticketSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  plan: z.enum(planNames),
  beganAtMs: z.number(),
});
type Ticket = z.infer<typeof ticketSchema>;

/** Where the sealed text lives: in a cookie, which no table holds. */
const ticketPlace = { table: 'cookies', column: 'google_sign_in', rowId: 'ticket' };

export function createGoogleSignIn(deps: Dependencies): GoogleSignIn {
  const { db, clock, secondStep, spendBudget, google } = deps;
  const { provider, serviceKeys } = google;
  const accounts = createIdentityAccounts(deps);
  const redirectUri = `${deps.baseUrl}${finishGoogleSignIn.path}`;

  function sealTicket(ticket: Ticket): string {
    return serviceKeys.seal(ticketPlace, Buffer.from(JSON.stringify(ticket))).toString('base64url');
  }

  async function openTicket(sealed: string | null): Promise<Ticket> {
    if (sealed === null) throw new IdentityError('refused', 'no_ticket');
    const ticket = readTicket(sealed, serviceKeys);
    const now = await clock.now();
    const isFresh = now.getTime() - ticket.beganAtMs < identityTicketMs;
    if (!isFresh) throw new IdentityError('refused', 'old_ticket');
    return ticket;
  }

  return {
    async begin(plan) {
      const { url, checks } = await provider.begin(redirectUri);
      const beganAtMs = (await clock.now()).getTime();
      return { url, ticket: sealTicket({ ...checks, plan, beganAtMs }) };
    },

    async complete({ ticket: sealed, query, previousToken, origin }) {
      const { plan, ...ticket } = await openTicket(sealed);
      await spendBudget(`google sign-in ${hashToken(ticket.state)}`, identityTicketBudget);
      const { state, nonce, verifier } = ticket;
      const identity = await provider.complete({ redirectUri, query, checks: { state, nonce, verifier } });

      const outcome = await db.transaction(async (tx) => {
        const at = await clock.now(tx);
        const account = await accounts.accountFor(tx, { identity, plan, origin, at });
        if ('refused' in account) return account;
        const { userId } = account;
        const step = await secondStep.beginStep(tx, { userId, method: 'google', at });
        if (step) return step;
        const start = { userId, previousToken, origin, at };
        return { token: await startSession(deps, tx, { ...start, method: 'google', secondFactor: null }) };
      });
      // Thrown only now: what is told to the address is kept.
      if ('refused' in outcome) throw new IdentityError('refused', outcome.refused);
      return outcome;
    },
  };
}

function readTicket(sealed: string, serviceKeys: Google['serviceKeys']): Ticket {
  try {
    const bytes = serviceKeys.unsealCarried(ticketPlace, Buffer.from(sealed, 'base64url'));
    return ticketSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    // Not ours, or not of this installation's keys: whatever is wrong with it, it proves nothing.
    throw new IdentityError('refused', 'broken_ticket');
  }
}
