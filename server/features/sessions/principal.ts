import { type App, perApp } from '#server/app.ts';
import { isDesignatedAccount } from '#server/features/accounts/accounts.ts';
import { offeredFactorsOf } from '#server/features/sessions/second-factors/offered-factors.ts';
import type { SessionLookup } from '#server/http/context.ts';
import type { Principal } from '#server/http/principal.ts';
import {
  administratorAbsoluteMs,
  administratorIdleMs,
  keptSessionIdleMs,
  sessionAbsoluteMs,
  sessionIdleMs,
  sessionTouchEveryMs,
} from './sessions.limits.ts';
import { findSession, touchSessionRow } from './sessions.repository.ts';
import { sessionEndMs, type Unproved, unprovedByAdministrator } from './sessions.rules.ts';

type Found = NonNullable<Awaited<ReturnType<typeof findSession>>>;
type Standing = { isOver: boolean; unproved: Unproved | null };
const ordinary: Standing = { isOver: false, unproved: null };

/** Sessions whose last recorded use a process remembers. */
const touchedMax = 10_000;
const touchedOf = perApp(() => new Map<string, number>());

/** Both functions, as the HTTP layer calls them. */
export function sessionLookup(app: App): SessionLookup {
  return {
    findPrincipal: (sessionToken) => findPrincipal(app, sessionToken),
    touchSession: (sessionId) => touchSession(app, sessionId),
  };
}

/**
 * Returns the owner of a session token. Null if the token is unknown or the session has ended. Sessions are rows, so that
 * every web process knows them, and an ended one ends immediately.
 */
export async function findPrincipal(app: App, sessionToken: string): Promise<Principal | null> {
  const sid = app.serviceKeys.hashToken(sessionToken);
  const [found, now] = await Promise.all([findSession(app.db, sid), app.clock.recent()]);
  if (!found || found.expire <= now) return null;
  const isAdministrator = isDesignatedAccount(app, found);
  const standing = isAdministrator ? await standingOfAdministrator(app, found) : ordinary;
  if (standing.isOver) return null;
  const { userId, sessionId, emailVerified, plan, tempPassword, authenticatedAt, secondFactorAt } = found;
  return {
    userId,
    sessionId,
    emailVerified,
    plan,
    isAdministrator,
    unproved: standing.unproved,
    mustChangePassword: tempPassword,
    authenticatedAt,
    secondFactorAt,
    isClosing: found.deletionRequestedAt !== null,
    isKept: found.isKept,
    vaultKey: { keyVersion: found.keyVersion, wrappedKey: found.wrappedKey },
  };
}

/** Records the use of a session, at most once a minute, so that it does not fall idle. */
async function touchSession(app: App, sessionId: string): Promise<void> {
  const touched = touchedOf(app);
  const at = await app.clock.recent();
  const touchedMs = touched.get(sessionId);
  // This process recorded a use within the minute, so no statement is needed.
  if (touchedMs !== undefined && at.getTime() - touchedMs < sessionTouchEveryMs) return;

  if (touched.size >= touchedMax) touched.clear();
  touched.set(sessionId, at.getTime());
  await touchSessionRow(app.db, {
    sessionId,
    at,
    notAfter: new Date(at.getTime() - sessionTouchEveryMs),
    idleEnd: new Date(at.getTime() + sessionIdleMs),
    keptIdleEnd: new Date(at.getTime() + keptSessionIdleMs),
    absoluteMs: sessionAbsoluteMs,
  });
}

/** The administrator sees every account, so their sessions are shorter and need a second factor. Their time is always read. */
async function standingOfAdministrator({ db, clock }: App, session: Found): Promise<Standing> {
  const [now, factors] = await Promise.all([clock.now(), offeredFactorsOf(db, session.userId)]);
  const used = { createdAtMs: session.createdAt.getTime(), usedAtMs: session.lastSeenAt.getTime() };
  const endMs = sessionEndMs(used, { idleMs: administratorIdleMs, absoluteMs: administratorAbsoluteMs });
  const proofs = { hasSecondFactor: factors.length > 0, hasPassedIt: session.secondFactorAt !== null };
  return { isOver: endMs <= now.getTime(), unproved: unprovedByAdministrator(proofs) };
}
