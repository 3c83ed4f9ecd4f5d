import { z } from 'zod';
import { freshSignInMs, type SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { findUserOfIdentity, storeIdentityUse } from '#server/features/accounts/identities.repository.ts';
import { addressAtProvider } from '#server/features/accounts/provider-names.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { type Identity, IdentityError, type NamedProvider } from '#server/platform/identity/identity-provider.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { finishExternalSignIn } from '#shared/contract/identity.ts';
import { type PlanName, planNames } from '#shared/rules/plans.ts';
import type { Reauthentication } from './reauthentication.service.ts';
import type { Caller, OpenStep, SecondStep } from './second-step.service.ts';
import { identityTicketBudget, identityTicketMs } from './sessions.limits.ts';
import { isUsableSubject } from './sessions.rules.ts';
import type { Sessions } from './sessions.service.ts';
import { methodOf } from './sign-in-methods.ts';
import { startSession } from './start-session.ts';

export type ExternalReturn = Omit<Caller, 'device'> & {
  /** What `begin` gave to this browser; null where it brought none. */
  ticket: string | null;
  /** The query of the address it came back to. */
  query: string;
};

/**
 * To sign in, `plan` being remembered for an account that is not there yet; to confirm a session, by its token; or to link a
 * provider with the account of a session, by its id.
 */
export type ExternalIntent = { plan: PlanName; keepSignedIn: boolean } | { confirms: string } | { links: string };
export type ExternalPurpose = 'sign-in' | 'confirm' | 'link';

export type ExternalSignIn = {
  /** Whom people can sign in with here, in the order of the settings. */
  readonly providers: readonly Pick<NamedProvider, 'slug' | 'name'>[];
  /**
   * Where to send the browser, and a ticket that it must bring back within ten minutes.
   *
   * @throws IdentityError; AppError `UNAUTHENTICATED` where the session to confirm has ended, `NOT_FOUND` for a provider
   * that is not configured, as every call.
   */
  begin(slug: string, intent: ExternalIntent): Promise<{ url: string; ticket: string }>;
  /** Why the browser with this ticket set out. It proves nothing, and says where to lead back. */
  purposeOf(ticket: string | null): ExternalPurpose;
  /**
   * Signs in the person whom the provider names, in an account that is theirs, linked or new; or makes the session that set
   * out fresh again. Gives the session's token, or, where a second factor is turned on, what the browser needs for the
   * second step. `isHandedOver`: nobody had proved the mailbox before, so the vault that was there is gone.
   *
   * @throws IdentityError `refused` where nothing is proved, the account is not theirs, or it is not the one whose
   * session was to be confirmed, or the ticket is for another provider; AppError `RATE_LIMITED` for a ticket that was used.
   */
  complete(slug: string, answer: ExternalReturn): Promise<Entered | OpenStep | Linked>;
};

type Entered = { token: string; isKept: boolean; isHandedOver: boolean };
/** The session goes on as it is. */
type Linked = { isLinked: true };

/** Somebody who came back from a provider. `plan` is the one chosen for an account that is not there yet. */
export type IdentityReturn = {
  provider: Pick<NamedProvider, 'slug' | 'name'>;
  identity: Identity;
  plan: PlanName;
  origin: RequestOrigin;
  at: Date;
};

/** `isHandedOver` where a vault that was there went, since nobody had ever proved its mailbox. */
export type IdentityAccount = { userId: string; isHandedOver?: boolean };

/**
 * The account of an identity, locked: known, linked just now, or opened just now; or why there is none for it. It is the
 * registration that opens and links accounts, and it stands above this.
 */
export type AccountForIdentity = (
  tx: Executor,
  returned: IdentityReturn,
) => Promise<IdentityAccount | { refused: string }>;

/** What a session that set out to link a provider came back with. The owner's row is locked. */
export type SessionIdentity = {
  owner: OwnerRow;
  provider: Pick<NamedProvider, 'slug' | 'name'>;
  identity: Identity;
  origin: RequestOrigin;
  at: Date;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: Audit;
  spendBudget: SpendBudget;
  activity: ActivityLog;
  sessions: Sessions;
  secondStep: Pick<SecondStep, 'beginStep'>;
  reauthentication: Pick<Reauthentication, 'renew'>;
  accountFor: AccountForIdentity;
  /** Links an identity with the account of a session. @throws IdentityError `refused`. */
  linkForSession: (tx: Executor, returned: SessionIdentity) => Promise<void>;
  baseUrl: string;
  providers: readonly NamedProvider[];
  /** They seal what the browser keeps while it is with a provider. */
  serviceKeys: Pick<ServiceKeys, 'seal' | 'unsealCarried' | 'hashToken'>;
};

const ticketSchema = z.object({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  plan: z.enum(planNames),
  keepSignedIn: z.boolean(),
  purpose: z.enum(['sign-in', 'confirm', 'link']),
  /** The session that is to be confirmed or linked; null for a sign-in. */
  sessionId: z.string().nullable(),
  beganAtMs: z.number(),
});
type Ticket = z.infer<typeof ticketSchema>;

/** Where the sealed text lives: in a cookie, which no table holds. */
const ticketPlace = { table: 'cookies', column: 'external_sign_in', rowId: 'ticket' };

/** To confirm a session, a sign-in at the provider counts that would be fresh enough here. */
const freshOnly = { maxAgeSeconds: freshSignInMs / 1000 };

export function createExternalSignIn(deps: Dependencies): ExternalSignIn {
  const { db, clock, sessions, secondStep, reauthentication, accountFor, spendBudget, providers, serviceKeys } = deps;

  function named(slug: string): NamedProvider & { redirectUri: string } {
    const found = providers.find((each) => each.slug === slug);
    if (!found) throw notFound();
    return { ...found, redirectUri: `${deps.baseUrl}${finishExternalSignIn.path.replace(':provider', slug)}` };
  }

  function sealTicket(ticket: Ticket): string {
    return serviceKeys.seal(ticketPlace, Buffer.from(JSON.stringify(ticket))).toString('base64url');
  }

  async function openTicket(slug: string, sealed: string | null): Promise<Ticket> {
    if (sealed === null) throw new IdentityError('refused', 'no_ticket');
    const ticket = readTicket(sealed, serviceKeys);
    // What one provider was asked, no other answers (RFC 9700 §4.4, mix-up).
    if (ticket.provider !== slug) throw new IdentityError('refused', 'another_provider');
    const now = await clock.now();
    const isFresh = now.getTime() - ticket.beganAtMs < identityTicketMs;
    if (!isFresh) throw new IdentityError('refused', 'old_ticket');
    return ticket;
  }

  async function actorOf(sessionId: string, { previousToken }: ExternalReturn) {
    const actor = previousToken ? await sessions.findPrincipal(previousToken) : null;
    if (actor?.sessionId !== sessionId) throw new IdentityError('refused', 'another_session');
    return actor;
  }

  /** Another person's proof changes nothing, however they came by this browser. */
  async function confirm(asked: NamedProvider, identity: Identity, sessionId: string, answer: ExternalReturn) {
    const { userId, isKept = false } = await actorOf(sessionId, answer);
    const { origin } = answer;
    return db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, userId);
      const isTheirs = owner !== null && (await findUserOfIdentity(tx, identity)) === userId;
      if (!isTheirs) throw new IdentityError('refused', 'another_person');
      if (identity.isEmailDenied) throw new IdentityError('refused', 'unverified-there');
      await storeIdentityUse(tx, { ...identity, email: addressAtProvider(identity), at: await clock.now(tx) });
      const token = await reauthentication.renew(tx, { userId, sessionId, origin }, methodOf(asked));
      return { token, isKept, isHandedOver: false };
    });
  }

  /** The session gave the password or a passkey before it set out. */
  async function link(
    provider: NamedProvider,
    identity: Identity,
    sessionId: string,
    answer: ExternalReturn,
  ): Promise<Linked> {
    const { userId } = await actorOf(sessionId, answer);
    if (identity.isEmailDenied) throw new IdentityError('refused', 'unverified-there');
    await db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, userId);
      if (!owner) throw new IdentityError('refused', 'another_session');
      await deps.linkForSession(tx, { owner, provider, identity, origin: answer.origin, at: await clock.now(tx) });
    });
    return { isLinked: true };
  }

  return {
    providers: providers.map(({ slug, name }) => ({ slug, name })),

    async begin(slug, intent) {
      const { provider, redirectUri } = named(slug);
      const session = 'confirms' in intent ? await sessions.findPrincipal(intent.confirms) : null;
      if ('confirms' in intent && !session) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
      const { url, checks } = await provider.begin(redirectUri, session === null ? {} : freshOnly);
      const beganAtMs = (await clock.now()).getTime();
      const chosen = 'plan' in intent ? intent : { plan: 'free' as const, keepSignedIn: false };
      const purpose = 'links' in intent ? 'link' : session ? 'confirm' : 'sign-in';
      const sessionId = 'links' in intent ? intent.links : (session?.sessionId ?? null);
      return { url, ticket: sealTicket({ provider: slug, ...checks, ...chosen, purpose, sessionId, beganAtMs }) };
    },

    purposeOf(sealed) {
      try {
        return sealed === null ? 'sign-in' : readTicket(sealed, serviceKeys).purpose;
      } catch (error) {
        if (error instanceof IdentityError) return 'sign-in';
        throw error;
      }
    },

    async complete(slug, answer) {
      const { previousToken, query, origin } = answer;
      const asked = named(slug);
      const { provider, redirectUri } = asked;
      const ticket = await openTicket(slug, answer.ticket);
      const { plan, keepSignedIn: isKept, purpose, sessionId, state, nonce, verifier } = ticket;
      await spendBudget(`external sign-in ${serviceKeys.hashToken(state)}`, identityTicketBudget);
      const returned = { redirectUri, query, checks: { state, nonce, verifier } };
      const identity = await provider.complete({ ...returned, ...(purpose === 'confirm' ? freshOnly : {}) });
      if (!isUsableSubject(identity.subject)) throw new IdentityError('refused', 'unnamed');
      if (sessionId !== null && purpose === 'link') return link(asked, identity, sessionId, answer);
      if (sessionId !== null) return confirm(asked, identity, sessionId, answer);

      const outcome = await db.transaction(async (tx) => {
        const at = await clock.now(tx);
        const account = await accountFor(tx, { provider: asked, identity, plan, origin, at });
        if ('refused' in account) return account;
        const { userId, isHandedOver = false } = account;
        const step = await secondStep.beginStep(tx, { userId, method: methodOf(asked), isKept, at });
        if (step) return step;
        const start = { userId, previousToken, origin, isKept, at };
        const token = await startSession(deps, tx, { ...start, method: methodOf(asked), secondFactor: null });
        return { token, isKept, isHandedOver };
      });
      // Thrown only now: what is told to the address is kept.
      if ('refused' in outcome) throw new IdentityError('refused', outcome.refused);
      return outcome;
    },
  };
}

function readTicket(sealed: string, serviceKeys: Pick<ServiceKeys, 'unsealCarried'>): Ticket {
  try {
    const bytes = serviceKeys.unsealCarried(ticketPlace, Buffer.from(sealed, 'base64url'));
    return ticketSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    // Not ours, or not of this installation's keys: whatever is wrong with it, it proves nothing.
    throw new IdentityError('refused', 'broken_ticket');
  }
}
