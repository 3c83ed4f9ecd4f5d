import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { forgetDevices } from '#server/features/accounts/credentials.repository.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type * as contract from '#shared/contract/sessions.ts';
import { rememberedDevice } from './known-devices.ts';
import { keptSessionIdleMs, sessionAbsoluteMs, sessionIdleMs, sessionsMax, tidyBatch } from './sessions.limits.ts';
import {
  deleteEndedSessions,
  deleteSession,
  deleteSessionByToken,
  deleteSessionsOf,
  deleteSurplusSessions,
  findSession,
  insertSession,
  type Renewal,
  renewSession,
  sessionsOf,
} from './sessions.repository.ts';
import { sessionEndMs } from './sessions.rules.ts';
import { browserCookiesOf, setDeviceCookie } from './sign-in-cookies.ts';
import { deleteSignInStepsOf } from './sign-in-steps.repository.ts';

export { markSecondFactor, unmarkSecondFactor } from './sessions.repository.ts';

export async function listSessions(
  { db, clock }: App,
  { principal }: Call<typeof contract.listSessions>,
): Promise<RouteAnswer<typeof contract.listSessions>> {
  const list = await sessionsOf(db, { userId: principal.userId, now: await clock.now(), limit: sessionsMax });
  return list.map((session) => ({ ...session, isCurrent: session.id === principal.sessionId }));
}

/** @throws AppError `NOT_FOUND` if this owner has no such session. */
export async function endSession(
  app: App,
  { principal: { userId }, params, origin }: Call<typeof contract.endSession>,
): Promise<void> {
  await app.db.transaction(async (tx) => {
    await lockOwnerRow(tx, userId);
    if (!(await deleteSession(tx, userId, params.id))) throw notFound();
    const at = await app.clock.now(tx);
    const entry = { userId, action: 'session.end', resource: 'session', resourceId: params.id };
    await recordAudit(app, tx, { ...entry, origin, at });
  });
}

/** Signs out all other devices, and forgets every known device except this one. */
export async function endOtherSessions(app: App, call: HttpCall<typeof contract.endOtherSessions>): Promise<void> {
  const { principal, origin, request, reply } = call;
  const { userId, sessionId } = principal;
  const { device } = browserCookiesOf(app, request);
  const kept = await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) throw notFound();
    await endAllSessions(tx, userId, sessionId);
    const at = await app.clock.now(tx);
    await forgetDevices(tx, userId, at);
    await recordAudit(app, tx, { userId, action: 'session.end_others', resource: 'session', origin, at });
    return rememberedDevice(app, { email: owner.email, devicesForgottenAt: at }, device);
  });
  setDeviceCookie(app, reply, kept);
}

/** Ends the session of this token, if there is one. */
export async function endSessionOfToken(app: App, sessionToken: string, origin: RequestOrigin): Promise<void> {
  const sid = app.serviceKeys.hashToken(sessionToken);
  const found = await findSession(app.db, sid);
  if (!found) return;
  const { userId } = found;
  await app.db.transaction(async (tx) => {
    await lockOwnerRow(tx, userId);
    if (!(await deleteSessionByToken(tx, sid))) return;
    const at = await app.clock.now(tx);
    await recordAudit(app, tx, { userId, action: 'session.end', resource: 'session', origin, at });
  });
}

type SessionOpening = {
  userId: string;
  origin: RequestOrigin;
  at: Date;
  hasSecondFactor: boolean;
  /** True if the person gave the password or a passkey. False if only a provider vouched for them. */
  isOwnProof: boolean;
  isKept: boolean;
};

/** Starts a session and returns its token, which only the cookie holds. */
export async function openSession(
  { serviceKeys }: App,
  tx: Executor,
  { userId, origin, at, hasSecondFactor, isOwnProof, isKept }: SessionOpening,
): Promise<string> {
  const token = newToken();
  await deleteEndedSessions(tx, at, tidyBatch);
  await deleteSurplusSessions(tx, userId, sessionsMax - 1);
  await insertSession(tx, {
    sid: serviceKeys.hashToken(token),
    userId,
    at,
    expire: firstEndOf(at.getTime(), isKept),
    isKept,
    facts: origin,
    hasSecondFactor,
    isOwnProof,
  });
  return token;
}

/** Ends the session that a browser brought to a sign-in, since a stranger may have prepared it. */
export async function dropSession({ serviceKeys }: App, tx: Executor, sessionToken: string): Promise<void> {
  await deleteSessionByToken(tx, serviceKeys.hashToken(sessionToken));
}

/** Ends all sessions of an owner except the given one, and every sign-in that waits for its second factor. */
export async function endAllSessions(tx: Executor, userId: string, exceptSessionId?: string): Promise<void> {
  await deleteSessionsOf(tx, userId, exceptSessionId);
  await deleteSignInStepsOf(tx, userId);
}

/**
 * Gives a session another token, as a new sign-in would. The owner's row is locked. @throws AppError `UNAUTHENTICATED` if the
 * session has ended.
 */
export async function renewSessionToken({ serviceKeys }: App, tx: Executor, renewal: Renewal): Promise<string> {
  const token = newToken();
  const isRenewed = await renewSession(tx, { ...renewal, sid: serviceKeys.hashToken(token) });
  if (!isRenewed) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
  return token;
}

function firstEndOf(atMs: number, isKept: boolean): Date {
  const idleMs = isKept ? keptSessionIdleMs : sessionIdleMs;
  return new Date(sessionEndMs({ createdAtMs: atMs, usedAtMs: atMs }, { idleMs, absoluteMs: sessionAbsoluteMs }));
}
