import { currentPasswordBudget, type SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import type { Passwords } from '#server/features/accounts/passwords.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { TakeAuthenticatorCode } from '#server/features/second-factors/authenticator-codes.ts';
import type { PasskeyChallenges, PasskeyQuestion } from '#server/features/second-factors/passkey-challenges.ts';
import { passkeysOf, storePasskeyUse } from '#server/features/second-factors/passkeys.repository.ts';
import { markSecondFactor } from '#server/features/second-factors/second-factors.repository.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { reauthenticate } from '#shared/contract/accounts.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { RouteBody } from '#shared/contract/route.ts';
import type { PasskeyAnswer } from '#shared/contract/second-factors.ts';
import { renewSession } from './sessions.repository.ts';
import type { SessionActor } from './sessions.service.ts';

export type Reauthentication = {
  /**
   * The password once more, as good as a sign-in: a sign of life, and the session's token is another from here on.
   * With a code of the authenticator app it is a second factor too. Gives that token.
   *
   * @throws AppError `VALIDATION` for a wrong password or code, or where the account has no password; `RATE_LIMITED`.
   */
  reauthenticate(actor: SessionActor, proof: RouteBody<typeof reauthenticate>): Promise<string>;
  askReauthenticationPasskey(userId: string): Promise<PasskeyQuestion>;
  /** A passkey in place of the password, and a second factor too. Gives the session's new token. @throws AppError. */
  reauthenticateWithPasskey(actor: SessionActor, answer: PasskeyAnswer): Promise<string>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  audit: Audit;
  passwords: Passwords;
  spendBudget: SpendBudget;
  activity: ActivityLog;
  passkeyChallenges: PasskeyChallenges;
  takeAuthenticatorCode: TakeAuthenticatorCode;
};

type Method = 'password' | 'password and code' | 'passkey' | 'google';
/** Those that show a second factor too. */
const secondFactors: ReadonlySet<Method> = new Set(['password and code', 'passkey']);

/** What every proof ends with, for the other use cases of accounts. */
export type SessionRenewal = {
  /** Gives the session another token, as good as that of a new sign-in. The owner's row is locked. */
  renew(tx: Executor, actor: SessionActor, method: Method): Promise<string>;
};

/** Proves once more who is there, as `createFreshSignIns` asks for it. */
export function createReauthentication(deps: Dependencies): Reauthentication & SessionRenewal {
  const { db, clock, hashToken, audit, passwords, spendBudget, activity, passkeyChallenges, takeAuthenticatorCode } =
    deps;

  async function renew(tx: Executor, { userId, sessionId, origin }: SessionActor, method: Method): Promise<string> {
    const token = newToken();
    const at = await clock.now(tx);
    const isRenewed = await renewSession(tx, { sessionId, userId, sid: hashToken(token), at });
    if (!isRenewed) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
    if (secondFactors.has(method)) await markSecondFactor(tx, sessionId, at);
    const entry = { userId, action: 'session.confirm', resource: 'session', resourceId: sessionId };
    await audit.record(tx, { ...entry, details: { method }, origin, at });
    await activity.recordActivity(tx, { userId, type: 'login', at, origin });
    return token;
  }

  return {
    renew,

    async reauthenticate(actor, { password, code }) {
      const { userId } = actor;
      await spendBudget(`current password ${userId}`, currentPasswordBudget);
      const stored = (await findCredentialsById(db, userId))?.password ?? null;
      if (!(await passwords.verify(stored, password))) throw stored === null ? noPassword() : wrongPassword();

      return db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        const current = await findCredentialsById(tx, userId);
        // A reset that was completed while this password was being checked has the last word.
        if (!owner || current?.password !== stored) throw wrongPassword();
        if (code === undefined) return renew(tx, actor, 'password');
        if (!(await takeAuthenticatorCode(tx, userId, code))) throw wrongCode();
        return renew(tx, actor, 'password and code');
      });
    },

    async askReauthenticationPasskey(userId) {
      return passkeyChallenges.ask({ purpose: 'confirm', userId }, await passkeysOf(db, userId));
    },

    async reauthenticateWithPasskey(actor, answer) {
      const { userId } = actor;
      const { row, counter, isBackedUp } = await passkeyChallenges.read(answer, { purpose: 'confirm', userId });
      return db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        const use = { id: row.id, counterBefore: row.counter, counter, isBackedUp, at: await clock.now(tx) };
        if (!owner || !(await storePasskeyUse(tx, use))) throw usedMeanwhile();
        return renew(tx, actor, 'passkey');
      });
    },
  };
}

function usedMeanwhile(): AppError {
  return new AppError('VALIDATION', 'That passkey was removed or used elsewhere just now. Try once more.');
}

function wrongPassword(): AppError {
  return refused('That is not your password. Check it, then try again.');
}

/** An account that was opened through an identity provider. */
function noPassword(): AppError {
  return refused('Your account has no password. Confirm that it is you with a passkey or with Google.');
}

function wrongCode(): AppError {
  return refused('That code is not right, or was used already. Wait for the next one in your app.', 'code');
}

function refused(message: string, path = 'password'): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path, message }] });
}
