import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { createPassingCookie } from '#server/http/session.ts';
import { IdentityError, oldSignIn } from '#server/platform/identity/identity-provider.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { finishExternalSignIn, getAuthProviders, startExternalSignIn } from '#shared/contract/identity.ts';
import { type ExternalFailure, externalError } from '#shared/rules/identity-providers.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import type { ExternalIntent, ExternalPurpose, ExternalSignIn } from './external-sign-in.service.ts';
import { identityTicketMs } from './sessions.limits.ts';
import { createSignInCookies } from './sign-in-cookies.ts';

/**
 * One of two places where a GET signs somebody in (the other is the verification link), because the provider sends the browser back with one. The ticket in a
 * cookie binds it to the browser that set out from our own page, so that no other site can do it in somebody's name.
 */
export function registerExternalSignIn(app: FastifyInstance, { external }: { external: ExternalSignIn }): void {
  const ticketCookie = createTicketCookie(app);
  const cookies = createSignInCookies(app.http);

  bind(app, getAuthProviders, () => ({ providers: [...external.providers] }));

  bind(app, startExternalSignIn, async ({ params: { provider: slug }, query, request, reply }) => {
    requireConfigured(external, slug);
    if (isFromElsewhere(request)) return reply.redirect('/login');
    try {
      const { url, ticket } = await external.begin(slug, intentOf(query, app.http.sessionCookie.read(request)));
      ticketCookie.set(reply, ticket);
      return reply.redirect(url);
    } catch (error) {
      return sendBack({ slug, request, reply, error, path: query.purpose === 'confirm' ? confirmedPath : '/login' });
    }
  });

  bind(app, finishExternalSignIn, async ({ params: { provider: slug }, origin, request, reply }) => {
    requireConfigured(external, slug);
    // Only a GET signs in; what looks ahead with HEAD must not use the ticket up.
    if (request.method === 'HEAD') return reply.redirect(failureAt('/login', { slug, why: 'failed' }));
    const { sessionCookie } = app.http;
    const ticket = ticketCookie.read(request);
    ticketCookie.clear(reply);
    const path = pathOf[external.purposeOf(ticket)];
    try {
      const query = new URL(request.url, app.http.baseUrl).search;
      const previousToken = sessionCookie.read(request);
      const outcome = await external.complete(slug, { ticket, query, previousToken, origin });
      if ('isLinked' in outcome) return reply.redirect(`${linkedPath}?linked=${slug}`);
      if ('stepToken' in outcome) {
        cookies.wait(reply, outcome.stepToken);
        return reply.redirect('/login?step=second-factor');
      }
      sessionCookie.set(reply, outcome.token, outcome.isKept);
      const home = outcome.isHandedOver ? '/?handed-over=true' : '/';
      return reply.redirect(path === confirmedPath ? confirmedPath : home);
    } catch (error) {
      return sendBack({ slug, request, reply, error, path });
    }
  });
}

/** Holds what a browser must bring back from a provider. */
export function createTicketCookie(app: FastifyInstance): ReturnType<typeof createPassingCookie> {
  return createPassingCookie(app.http.baseUrl, { name: 'everkept-provider', maxAgeMs: identityTicketMs });
}

/**
 * Whether another site's page led here (Fetch Metadata). A sign-in is a sign of life, and for somebody signed in at the
 * provider it takes no press of a button: it must begin on a page of ours, or be typed.
 */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** The page that a tab for confirming ends at; the one it came from is still open beside it. */
const confirmedPath = '/confirmed';
/** The page from which an owner links a provider. */
const linkedPath = '/privacy';
const pathOf: Record<ExternalPurpose, string> = { 'sign-in': '/login', confirm: confirmedPath, link: linkedPath };

function failureAt(path: string, failure: ExternalFailure): string {
  return `${path}?error=${externalError(failure)}`;
}

type StartQuery = { plan: PlanName; purpose: 'sign-in' | 'confirm'; keep: 'yes' | 'no' };

/** @throws AppError `UNAUTHENTICATED` where there is nobody to confirm. */
function intentOf({ plan, purpose, keep }: StartQuery, sessionToken: string | null): ExternalIntent {
  if (purpose === 'sign-in') return { plan, keepSignedIn: keep === 'yes' };
  if (sessionToken === null) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
  return { confirms: sessionToken };
}

/** @throws AppError `NOT_FOUND` where nobody signs in with this provider here. */
function requireConfigured({ providers }: ExternalSignIn, slug: string): void {
  if (!providers.some((provider) => provider.slug === slug)) throw notFound();
}

type Failure = { slug: string; request: FastifyRequest; reply: FastifyReply; error: unknown; path: string };

/** A person stands at this address, so every failure leads to a page; the log keeps what it was. */
function sendBack({ slug, request, reply, error, path }: Failure): FastifyReply {
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

/** Refusals that the page explains. To three of them the address of the account is told more by mail. */
const whys: ReadonlyMap<string, ExternalFailure['why']> = new Map([
  [oldSignIn, 'old'],
  ['asked', 'mailed'],
  ['unproven-here', 'mailed'],
  ['somebody-else', 'mailed'],
  ['unverified-there', 'unverified'],
  ['unnamed', 'unnamed'],
  ['link_taken', 'taken'],
]);
