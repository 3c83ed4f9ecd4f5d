import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { findUserOfIdentity, storeIdentityUse } from '#server/features/accounts/identities.repository.ts';
import { addressAtProvider } from '#server/features/accounts/provider-names.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import {
  confirmedPath,
  failureAt,
  freshOnly,
  linkedPath,
  openTicket,
  pageOfTicket,
  providerNamed,
  sendBack,
} from '#server/features/sessions/external-sign-in.ts';
import { findPrincipal } from '#server/features/sessions/principal.ts';
import { confirmSession } from '#server/features/sessions/reauthentication.ts';
import { beginStep, type OpenStep } from '#server/features/sessions/second-step.ts';
import { identityTicketBudget } from '#server/features/sessions/sessions.limits.ts';
import { signInCookiesOf } from '#server/features/sessions/sign-in-cookies.ts';
import { methodOf } from '#server/features/sessions/sign-in-methods.ts';
import { startSession } from '#server/features/sessions/start-session.ts';
import { linkForSession } from '#server/features/ways-in/ways-in.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { type Identity, IdentityError, type NamedProvider } from '#server/platform/identity/identity-provider.ts';
import type * as contract from '#shared/contract/identity.ts';
import { isUsableSubject } from './identities.rules.ts';
import { accountForIdentity } from './identity-accounts.ts';

type Return = {
  /** Ticket that the browser brought back. Null if it brought none. */
  ticket: string | null;
  /** Query of the address that the provider sent the browser to. */
  query: string;
  previousToken: string | null;
  origin: RequestOrigin;
};

/** `isHandedOver`: the mailbox had never been proven, so the vault that was there is gone. */
type Entered = { token: string; isKept: boolean; isHandedOver: boolean };

/**
 * Finishes a visit at a provider. This GET signs in, as the verification link does, since the provider redirects the browser to
 * it. The ticket in a cookie binds it to the browser that left from our own page, so no other site can cause it.
 */
export async function finishExternalSignIn(app: App, call: HttpCall<typeof contract.finishExternalSignIn>) {
  const { params, origin, request, reply } = call;
  const { slug } = providerNamed(app, params.provider);
  // Only a GET signs in. A prefetching program with HEAD must not use up the ticket.
  if (request.method === 'HEAD') return reply.redirect(failureAt('/login', { slug, why: 'failed' }));
  const cookies = signInCookiesOf(app);
  const ticket = cookies.ticket.read(request);
  cookies.ticket.clear(reply);
  const path = pageOfTicket(app, ticket);
  try {
    const query = new URL(request.url, app.baseUrl).search;
    const previousToken = cookies.session.read(request);
    const outcome = await complete(app, slug, { ticket, query, previousToken, origin });
    if ('isLinked' in outcome) return reply.redirect(`${linkedPath}?linked=${slug}`);
    if ('stepToken' in outcome) {
      cookies.step.set(reply, outcome.stepToken);
      return reply.redirect('/login?step=second-factor');
    }
    cookies.session.set(reply, outcome.token, outcome.isKept);
    const home = outcome.isHandedOver ? '/?handed-over=true' : '/';
    return reply.redirect(path === confirmedPath ? confirmedPath : home);
  } catch (error) {
    return sendBack({ slug, request, reply, error, path });
  }
}

/**
 * Signs in the person whom the provider names, in their account, or makes the session that left fresh again, or links the
 * provider. If a second factor is turned on, the browser gets a token for the second step.
 *
 * @throws IdentityError `refused`; AppError `RATE_LIMITED` for a ticket that was used.
 */
async function complete(app: App, slug: string, answer: Return): Promise<Entered | OpenStep | { isLinked: true }> {
  const { previousToken, query, origin } = answer;
  const asked = providerNamed(app, slug);
  const ticket = await openTicket(app, slug, answer.ticket);
  const { plan, keepSignedIn: isKept, purpose, sessionId, state, nonce, verifier } = ticket;
  await app.limits.spend(`external sign-in ${app.serviceKeys.hashToken(state)}`, identityTicketBudget);
  const returned = { redirectUri: asked.redirectUri, query, checks: { state, nonce, verifier } };
  const identity = await asked.provider.complete({ ...returned, ...(purpose === 'confirm' ? freshOnly : {}) });
  if (!isUsableSubject(identity.subject)) throw new IdentityError('refused', 'unnamed');
  if (sessionId !== null && purpose === 'link') return link(app, { provider: asked, identity, sessionId, answer });
  if (sessionId !== null) return confirm(app, { provider: asked, identity, sessionId, answer });

  const outcome = await app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    const account = await accountForIdentity(app, tx, { provider: asked, identity, plan, origin, at });
    if ('refused' in account) return account;
    const { userId, isHandedOver = false } = account;
    const step = await beginStep(app, tx, { userId, method: methodOf(asked), isKept, at });
    if (step) return step;
    const start = { userId, previousToken, origin, isKept, at };
    const token = await startSession(app, tx, { ...start, method: methodOf(asked), secondFactor: null });
    return { token, isKept, isHandedOver };
  });
  // Thrown after the commit, so that the mail to the address is stored.
  if ('refused' in outcome) throw new IdentityError('refused', outcome.refused);
  return outcome;
}

type ForSession = { provider: NamedProvider; identity: Identity; sessionId: string; answer: Return };

/** Confirms a session. The proof of another person changes nothing. */
async function confirm(app: App, { provider, identity, sessionId, answer }: ForSession): Promise<Entered> {
  const { userId, isKept = false } = await holderOf(app, sessionId, answer);
  const { origin } = answer;
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    const isTheirs = owner !== null && (await findUserOfIdentity(tx, identity)) === userId;
    if (!isTheirs) throw new IdentityError('refused', 'another_person');
    if (identity.isEmailDenied) throw new IdentityError('refused', 'unverified-there');
    await storeIdentityUse(tx, { ...identity, email: addressAtProvider(identity), at: await app.clock.now(tx) });
    const token = await confirmSession(app, tx, { userId, sessionId, origin }, methodOf(provider));
    return { token, isKept, isHandedOver: false };
  });
}

/** Links the provider. The session gave the password or a passkey before it left. */
async function link(app: App, { provider, identity, sessionId, answer }: ForSession): Promise<{ isLinked: true }> {
  const { userId } = await holderOf(app, sessionId, answer);
  if (identity.isEmailDenied) throw new IdentityError('refused', 'unverified-there');
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) throw new IdentityError('refused', 'another_session');
    await linkForSession(app, tx, { owner, provider, identity, origin: answer.origin, at: await app.clock.now(tx) });
  });
  return { isLinked: true };
}

async function holderOf(app: App, sessionId: string, { previousToken }: Return) {
  const holder = previousToken ? await findPrincipal(app, previousToken) : null;
  if (holder?.sessionId !== sessionId) throw new IdentityError('refused', 'another_session');
  return holder;
}
