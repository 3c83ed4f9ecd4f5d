import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { App } from '#server/app.ts';
import { freshSignInMs } from '#server/features/accounts/accounts.limits.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { IdentityError, type NamedProvider, oldSignIn } from '#server/platform/identity/identity-provider.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import * as contract from '#shared/contract/identity.ts';
import { type ExternalFailure, externalError } from '#shared/rules/identity-providers.ts';
import { type PlanName, planNames } from '#shared/rules/plans.ts';
import { findPrincipal } from './principal.ts';
import { identityTicketMs } from './sessions.limits.ts';
import { signInCookiesOf } from './sign-in-cookies.ts';

/**
 * Purpose of the sign-in: a session, a confirmation, or a link with an account. A session names the plan for a new
 * account. The others name the present session by its token or its id.
 */
type ExternalIntent = { plan: PlanName; keepSignedIn: boolean } | { confirms: string } | { links: string };
type ExternalPurpose = 'sign-in' | 'confirm' | 'link';

const ticketSchema = z.object({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  plan: z.enum(planNames),
  keepSignedIn: z.boolean(),
  purpose: z.enum(['sign-in', 'confirm', 'link']),
  /** Session to confirm or link. Null for a sign-in. */
  sessionId: z.string().nullable(),
  beganAtMs: z.number(),
});
type Ticket = z.infer<typeof ticketSchema>;

/** Seal context of the ticket. A cookie holds it, and no table does. */
const ticketPlace = { table: 'cookies', column: 'external_sign_in', rowId: 'ticket' };

/** A session is confirmed by a sign-in at the provider that would be fresh enough here. */
export const freshOnly = { maxAgeSeconds: freshSignInMs / 1000 };

/** Page where a tab for confirming ends. The page that opened the tab is still open. */
export const confirmedPath = '/confirmed';
/** Page from which an owner links a provider. */
export const linkedPath = '/privacy';
const pathOf: Record<ExternalPurpose, string> = { 'sign-in': '/login', confirm: confirmedPath, link: linkedPath };

/** Lists the providers in the order of the settings. */
export function getAuthProviders({ identityProviders }: App) {
  return { providers: identityProviders.map(({ slug, name }) => ({ slug, name })) };
}

export async function startExternalSignIn(app: App, call: HttpCall<typeof contract.startExternalSignIn>) {
  const { params, query, request, reply } = call;
  const { slug } = providerNamed(app, params.provider);
  if (isFromElsewhere(request)) return reply.redirect('/login');
  try {
    const intent = intentOf(query, signInCookiesOf(app).session.read(request));
    return reply.redirect(await beginAtProvider(app, reply, slug, intent));
  } catch (error) {
    return sendBack({ slug, request, reply, error, path: query.purpose === 'confirm' ? confirmedPath : '/login' });
  }
}

/**
 * Gives the browser a ticket that it must bring back within ten minutes, and returns the address at the provider.
 *
 * @throws IdentityError; AppError `UNAUTHENTICATED` if the session to confirm has ended, `NOT_FOUND` for an unknown provider.
 */
export async function beginAtProvider(
  app: App,
  reply: FastifyReply,
  slug: string,
  intent: ExternalIntent,
): Promise<string> {
  const { provider, redirectUri } = providerNamed(app, slug);
  const session = 'confirms' in intent ? await findPrincipal(app, intent.confirms) : null;
  if ('confirms' in intent && !session) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
  const { url, checks } = await provider.begin(redirectUri, session === null ? {} : freshOnly);
  const beganAtMs = (await app.clock.now()).getTime();
  const chosen = 'plan' in intent ? intent : { plan: 'free' as const, keepSignedIn: false };
  const purpose = 'links' in intent ? 'link' : session ? 'confirm' : 'sign-in';
  const sessionId = 'links' in intent ? intent.links : (session?.sessionId ?? null);
  const ticket: Ticket = { provider: slug, ...checks, ...chosen, purpose, sessionId, beganAtMs };
  const sealed = app.serviceKeys.seal(ticketPlace, Buffer.from(JSON.stringify(ticket))).toString('base64url');
  signInCookiesOf(app).ticket.set(reply, sealed);
  return url;
}

/** @throws AppError `NOT_FOUND` if this provider is not set up here. */
export function providerNamed(
  { identityProviders, baseUrl }: App,
  slug: string,
): NamedProvider & { redirectUri: string } {
  const found = identityProviders.find((each) => each.slug === slug);
  if (!found) throw notFound();
  return { ...found, redirectUri: `${baseUrl}${contract.finishExternalSignIn.path.replace(':provider', slug)}` };
}

/** Opens the ticket of a browser that returned from this provider. @throws IdentityError `refused`. */
export async function openTicket(app: App, slug: string, sealed: string | null): Promise<Ticket> {
  if (sealed === null) throw new IdentityError('refused', 'no_ticket');
  const ticket = readTicket(app, sealed);
  // An answer of one provider must not serve another (RFC 9700 §4.4, mix-up).
  if (ticket.provider !== slug) throw new IdentityError('refused', 'another_provider');
  const now = await app.clock.now();
  if (now.getTime() - ticket.beganAtMs >= identityTicketMs) throw new IdentityError('refused', 'old_ticket');
  return ticket;
}

/** Page that a browser with this ticket returns to. The ticket proves nothing here. */
export function pageOfTicket(app: App, sealed: string | null): string {
  try {
    return pathOf[sealed === null ? 'sign-in' : readTicket(app, sealed).purpose];
  } catch (error) {
    if (error instanceof IdentityError) return pathOf['sign-in'];
    throw error;
  }
}

function readTicket({ serviceKeys }: App, sealed: string): Ticket {
  try {
    const bytes = serviceKeys.unsealCarried(ticketPlace, Buffer.from(sealed, 'base64url'));
    return ticketSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    // A ticket that does not open proves nothing.
    throw new IdentityError('refused', 'broken_ticket');
  }
}

/**
 * True if a page of another site led here (Fetch Metadata). A sign-in is a sign of life, and needs no press if the
 * person is signed in at the provider. So it must begin on a page of ours, or by a typed address.
 */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

type StartQuery = { plan: PlanName; purpose: 'sign-in' | 'confirm'; keep: 'yes' | 'no' };

/** @throws AppError `UNAUTHENTICATED` if there is no session to confirm. */
function intentOf({ plan, purpose, keep }: StartQuery, sessionToken: string | null): ExternalIntent {
  if (purpose === 'sign-in') return { plan, keepSignedIn: keep === 'yes' };
  if (sessionToken === null) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
  return { confirms: sessionToken };
}

/** Address of a page that explains a failure. */
export function failureAt(path: string, failure: ExternalFailure): string {
  return `${path}?error=${externalError(failure)}`;
}

type Failure = { slug: string; request: FastifyRequest; reply: FastifyReply; error: unknown; path: string };

/** Logs a failure and redirects the person to a page that explains it. */
export function sendBack({ slug, request, reply, error, path }: Failure): FastifyReply {
  if (error instanceof IdentityError && error.failure === 'unavailable') {
    request.log.warn({ provider: slug, code: error.code }, 'the identity provider could not be asked');
  } else if (error instanceof IdentityError || error instanceof AppError) {
    const code = error instanceof IdentityError ? error.code : error.type;
    request.log.info({ provider: slug, code }, 'sign-in with a provider refused');
  } else {
    request.log.error({ provider: slug, err: error }, 'sign-in with a provider failed');
  }
  const why = (error instanceof IdentityError ? whys.get(error.code) : undefined) ?? 'failed';
  return reply.redirect(failureAt(path, { slug, why }));
}

/** Refusals that the page explains. Three of them also cause a mail to the account's address, with more detail. */
const whys: ReadonlyMap<string, ExternalFailure['why']> = new Map([
  [oldSignIn, 'old'],
  ['asked', 'mailed'],
  ['unproven-here', 'mailed'],
  ['somebody-else', 'mailed'],
  ['unverified-there', 'unverified'],
  ['unnamed', 'unnamed'],
  ['link_taken', 'taken'],
]);
