import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { nameSender } from '#server/platform/running-work/running-work.ts';
import { AppError, secondStepRequired } from '#shared/contract/errors.ts';
import type { Route } from '#shared/contract/route.ts';
import type { Principal, RequestOrigin } from './principal.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Longer ones are cut: the list of devices shows a browser's name, not a library. */
const userAgentLengthMax = 400;
/** Methods that change nothing, so that another site may cause them (RFC 9110 §9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Runs before the body is read. First comes the budget of the route, so that guesses of sessions are limited too.
 * Then come the session, its rights, and the account's changes per day.
 */
export function guard(route: Route): onRequestAsyncHookHandler {
  const { ratePerMinute, networkPerDay } = route;
  const budget = ratePerMinute === undefined ? null : { limit: ratePerMinute, windowMs: minuteMs };
  const name = `${route.method} ${route.path}`;

  return async (request) => {
    const { http } = request.server;
    if (budget) await http.limits.spendOfAddress(name, request.ip, budget);
    if (networkPerDay) await http.limits.spendOfNetwork(name, request.ip, { limit: networkPerDay, windowMs: dayMs });
    const token = http.sessionCookie.read(request);
    request.principal = token === null ? null : await http.sessions.findPrincipal(token);
    if (request.principal?.isClosing && !route.whileClosing) request.principal = forClosing(route);
    if (request.principal) nameSender(`account ${request.principal.userId}`);
    requireAccess(route, request.principal);
    if (isChange(route) && request.principal) await http.limits.spendChange(request.principal.userId);
  };
}

/** Signing in and the links of mails stay open to accounts that have used up their changes. */
export function isChange({ method, access }: Route): boolean {
  return !safeMethods.has(method) && access !== 'public' && access !== 'token';
}

/**
 * For a person whose account is being deleted. Public routes stay open, as to a stranger.
 *
 * @throws AppError `ACCOUNT_CLOSING` for routes that need an account.
 */
function forClosing({ access }: Route): null {
  if (access === 'public' || access === 'token') return null;
  throw new AppError('ACCOUNT_CLOSING', 'This account is being deleted. Restore it first to go on.');
}

/** @throws AppError `UNAUTHENTICATED`, `PASSWORD_CHANGE_REQUIRED`, `EMAIL_VERIFICATION_REQUIRED`, `FORBIDDEN`, `SECOND_FACTOR_REQUIRED` or `REAUTHENTICATION_REQUIRED`. */
function requireAccess({ access, beforePasswordChange }: Route, principal: Principal | null): void {
  if (access === 'public' || access === 'token') return;
  if (!principal) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
  if (principal.mustChangePassword && !beforePasswordChange) {
    throw new AppError('PASSWORD_CHANGE_REQUIRED', 'Choose a password of your own first.');
  }
  if (access === 'administrator') requireAdministrator(principal);
  if (access === 'verified' && !principal.emailVerified) {
    throw new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first. We sent you a link.');
  }
}

/** The right account is not enough: the administrator must have proved their identity, to read as well as to write. */
function requireAdministrator({ isAdministrator, unproved }: Principal): void {
  if (!isAdministrator) throw new AppError('FORBIDDEN', 'Only the administrator can do this.');
  if (unproved === 'no-second-factor') {
    const message = 'Set up a second step for your account first, under Privacy & Security. Then this opens.';
    throw new AppError('SECOND_FACTOR_REQUIRED', message);
  }
  if (unproved === 'second-factor') throw secondStepRequired();
}

type OriginFacts = {
  method: string;
  fetchSite: string | undefined;
  origin: string | undefined;
  hasSession: boolean;
  baseUrl: URL;
};

/**
 * True if a changing request comes from our own pages. Browsers state that in `Sec-Fetch-Site` (Fetch Metadata);
 * older ones name the page's origin. A program that sends neither is accepted without a session, because no browser
 * was led here.
 */
export function isOwnOrigin({ method, fetchSite, origin, hasSession, baseUrl }: OriginFacts): boolean {
  if (safeMethods.has(method)) return true;
  if (fetchSite === 'same-origin' || fetchSite === 'none') return true;
  if (origin !== undefined) return origin === baseUrl.origin;
  return fetchSite === undefined && !hasSession;
}

/** @throws AppError `FORBIDDEN` for a request that another site caused. */
export async function requireOwnOrigin(request: FastifyRequest): Promise<void> {
  const { http } = request.server;
  const isOwn = isOwnOrigin({
    method: request.method,
    fetchSite: single(request.headers['sec-fetch-site']),
    origin: single(request.headers.origin),
    hasSession: request.cookies[http.sessionCookie.name] !== undefined,
    baseUrl: http.baseUrl,
  });
  if (!isOwn) throw new AppError('FORBIDDEN', 'This request did not come from our own pages, so we did not act on it.');
}

/** Origin of a request. The address comes from the proxy only if the proxy is trusted. */
export function requestOrigin(request: FastifyRequest): RequestOrigin {
  const userAgent = request.headers['user-agent'];
  return { ipAddress: request.ip || null, userAgent: userAgent ? userAgent.slice(0, userAgentLengthMax) : null };
}

/** A header that came twice says nothing we could trust, so it counts as another's. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}
