import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { createPassingCookie } from '#server/http/session.ts';
import { IdentityError } from '#server/platform/identity/identity-provider.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { finishGoogleSignIn, getAuthProviders, startGoogleSignIn } from '#shared/contract/identity.ts';
import { identityTicketMs } from './accounts.limits.ts';
import type { Accounts } from './accounts.service.ts';
import type { GoogleSignIn } from './google-sign-in.service.ts';
import { createSignInCookies } from './sign-in-cookies.ts';

/**
 * The one place where a GET signs somebody in, because the provider sends the browser back with one. The ticket in a
 * cookie binds it to the browser that set out from our own page, so that no other site can do it in somebody's name.
 */
export function registerGoogleRoutes(app: FastifyInstance, accounts: Pick<Accounts, 'google'>): void {
  const ticketCookie = createPassingCookie(app.http.baseUrl, { name: 'everkept-google', maxAgeMs: identityTicketMs });
  const cookies = createSignInCookies(app.http);

  bind(app, getAuthProviders, () => ({ google: accounts.google !== null }));

  bind(app, startGoogleSignIn, async ({ query, request, reply }) => {
    const google = configured(accounts);
    if (isFromElsewhere(request)) return reply.redirect('/login');
    try {
      const { url, ticket } = await google.begin(query.plan);
      ticketCookie.set(reply, ticket);
      return reply.redirect(url);
    } catch (error) {
      return sendBack(request, reply, error);
    }
  });

  bind(app, finishGoogleSignIn, async ({ origin, request, reply }) => {
    const google = configured(accounts);
    // Only a GET signs in; what looks ahead with HEAD must not use the ticket up.
    if (request.method === 'HEAD') return reply.redirect(failurePath);
    const { sessionCookie } = app.http;
    const ticket = ticketCookie.read(request);
    ticketCookie.clear(reply);
    try {
      const query = new URL(request.url, app.http.baseUrl).search;
      const outcome = await google.complete({ ticket, query, previousToken: sessionCookie.read(request), origin });
      if ('stepToken' in outcome) {
        cookies.wait(reply, outcome.stepToken);
        return reply.redirect('/login?step=second-factor');
      }
      sessionCookie.set(reply, outcome.token);
      return reply.redirect('/');
    } catch (error) {
      return sendBack(request, reply, error);
    }
  });
}

/**
 * Whether another site's page led here (Fetch Metadata). A sign-in is a sign of life, and for somebody signed in to
 * Google it takes no press of a button: it must begin on a page of ours, or be typed.
 */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

const failurePath = '/login?error=google_auth_failed';

/** @throws AppError `NOT_FOUND` where nobody signs in with Google here. */
function configured({ google }: Pick<Accounts, 'google'>): GoogleSignIn {
  if (!google) throw notFound();
  return google;
}

/** A person stands at this address, so every failure leads to a page; the log keeps what it was. */
function sendBack(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (error instanceof IdentityError && error.failure === 'unavailable') {
    request.log.warn({ code: error.code }, 'the identity provider could not be asked');
  } else if (error instanceof IdentityError || error instanceof AppError) {
    const code = error instanceof IdentityError ? error.code : error.type;
    request.log.info({ code }, 'sign-in with Google refused');
  } else {
    request.log.error({ err: error }, 'sign-in with Google failed');
  }
  return reply.redirect(failurePath);
}
