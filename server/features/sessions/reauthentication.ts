import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import type { SessionActor } from '#server/features/accounts/principal.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import {
  askPasskey,
  recordPasskeyUse,
  redeemAuthenticatorCode,
} from '#server/features/sessions/second-factors/factor-checks.ts';
import { readPasskey } from '#server/features/sessions/second-factors/passkey-challenges.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type * as accountsContract from '#shared/contract/accounts.ts';
import { AppError } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/second-factors.ts';
import { currentPasswordBudget } from './sessions.limits.ts';
import { markSecondFactor, renewSessionToken } from './sessions.ts';
import { signInCookiesOf } from './sign-in-cookies.ts';
import type { ProviderMethod } from './sign-in-methods.ts';

type Method = 'password' | 'password-and-code' | 'passkey' | ProviderMethod;
/** Methods that include a second factor. */
const secondFactors: ReadonlySet<Method> = new Set(['password-and-code', 'passkey']);
/** Proofs other than a provider's. */
const ownProofs: ReadonlySet<Method> = new Set(['password', 'password-and-code', 'passkey']);

/** @throws AppError as `confirmPassword` does. */
export async function reauthenticate(app: App, call: HttpCall<typeof accountsContract.reauthenticate>) {
  const { body, principal, origin, reply } = call;
  const token = await confirmPassword(app, { ...principal, origin }, body);
  signInCookiesOf(app).session.set(reply, token, principal.isKept);
  return { ok: true as const };
}

export function askReauthenticationPasskey(
  app: App,
  { principal: { userId } }: Call<typeof contract.askReauthenticationPasskey>,
) {
  return askPasskey(app, { purpose: 'confirm', userId });
}

/** Accepts a passkey in place of the password. It is a second factor too. @throws AppError. */
export async function reauthenticateWithPasskey(app: App, call: HttpCall<typeof contract.reauthenticateWithPasskey>) {
  const { body, principal, origin, reply } = call;
  const { userId } = principal;
  const used = await readPasskey(app, body, { purpose: 'confirm', userId });
  const token = await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner || !(await recordPasskeyUse(tx, used, await app.clock.now(tx)))) throw usedMeanwhile();
    return confirmSession(app, tx, { ...principal, origin }, 'passkey');
  });
  signInCookiesOf(app).session.set(reply, token, principal.isKept);
  return { ok: true as const };
}

/**
 * Accepts the password again. It counts like a sign-in: a sign of life, and another token for the session, which is
 * returned. With a code of the authenticator app it is a second factor too.
 * @throws AppError `VALIDATION` for a wrong password or code, or if the account has no password; `RATE_LIMITED`.
 */
export async function confirmPassword(
  app: App,
  actor: SessionActor,
  { password, code }: { password: string; code?: string | undefined },
): Promise<string> {
  const { db, passwords, limits } = app;
  const { userId } = actor;
  await limits.spend(`current password ${userId}`, currentPasswordBudget);
  const stored = (await findCredentialsById(db, userId))?.password ?? null;
  if (!(await passwords.verify(stored, password))) throw stored === null ? noPassword() : wrongPassword();

  return db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    const current = await findCredentialsById(tx, userId);
    // If a reset completed while this password was checked, the new password counts.
    if (!owner || current?.password !== stored) throw wrongPassword();
    if (code === undefined) return confirmSession(app, tx, actor, 'password');
    if (!(await redeemAuthenticatorCode(app, tx, userId, code))) throw wrongCode();
    return confirmSession(app, tx, actor, 'password-and-code');
  });
}

/** Makes a session fresh after a proof, and returns its new token. The owner's row is locked. */
export async function confirmSession(
  app: App,
  tx: Executor,
  { userId, sessionId, origin }: SessionActor,
  method: Method,
): Promise<string> {
  const at = await app.clock.now(tx);
  const token = await renewSessionToken(app, tx, { userId, sessionId, at, isOwnProof: ownProofs.has(method) });
  if (secondFactors.has(method)) await markSecondFactor(tx, sessionId, at);
  const entry = { userId, action: 'session.confirm', resource: 'session', resourceId: sessionId };
  await recordAudit(app, tx, { ...entry, details: { method }, origin, at });
  await recordActivity(app, tx, { userId, type: 'login', at, origin });
  return token;
}

function usedMeanwhile(): AppError {
  return new AppError('VALIDATION', 'That passkey was removed or used elsewhere just now. Try again.');
}

function wrongPassword(): AppError {
  return refused('That is not your password. Check it, then try again.');
}

/** The account was opened with an identity provider. */
function noPassword(): AppError {
  return refused(
    'Your account has no password. Confirm that it is you with a passkey, or with the account that you sign in with.',
  );
}

function wrongCode(): AppError {
  return refused('That code is not right, or was used already. Wait for the next one in your app.', 'code');
}

function refused(message: string, path = 'password'): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path, message }] });
}
