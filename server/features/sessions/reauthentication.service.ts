import type { SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { SessionActor } from '#server/features/accounts/accounts.service.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import type { Passwords } from '#server/features/accounts/passwords.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { FactorChecks } from '#server/features/second-factors/factor-checks.service.ts';
import type { PasskeyQuestion } from '#server/features/second-factors/passkey-challenges.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { reauthenticate } from '#shared/contract/accounts.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { RouteBody } from '#shared/contract/route.ts';
import type { PasskeyAnswer } from '#shared/contract/second-factors.ts';
import { currentPasswordBudget } from './sessions.limits.ts';
import type { Sessions } from './sessions.service.ts';
import type { ProviderMethod } from './sign-in-methods.ts';

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
  /** What every proof ends with: gives the session another token, as good as that of a new sign-in. The owner's row is locked. */
  renew(tx: Executor, actor: SessionActor, method: Method): Promise<string>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: Audit;
  passwords: Passwords;
  spendBudget: SpendBudget;
  activity: ActivityLog;
  sessions: Pick<Sessions, 'renewToken' | 'markSecondFactor'>;
  factorChecks: Pick<FactorChecks, 'askPasskey' | 'readPasskey' | 'recordPasskeyUse' | 'redeemAuthenticatorCode'>;
};

type Method = 'password' | 'password-and-code' | 'passkey' | ProviderMethod;
/** Those that show a second factor too. */
const secondFactors: ReadonlySet<Method> = new Set(['password-and-code', 'passkey']);
/** Proofs that no provider gives. */
const ownProofs: ReadonlySet<Method> = new Set(['password', 'password-and-code', 'passkey']);

/** Proves once more who is there, as `createFreshSignIns` asks for it. */
export function createReauthentication(deps: Dependencies): Reauthentication {
  const { db, clock, audit, passwords, spendBudget, activity, sessions, factorChecks } = deps;

  async function renew(tx: Executor, { userId, sessionId, origin }: SessionActor, method: Method): Promise<string> {
    const at = await clock.now(tx);
    const isOwnProof = ownProofs.has(method);
    const token = await sessions.renewToken(tx, { userId, sessionId, at, isOwnProof });
    if (secondFactors.has(method)) await sessions.markSecondFactor(tx, sessionId, at);
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
        if (!(await factorChecks.redeemAuthenticatorCode(tx, userId, code))) throw wrongCode();
        return renew(tx, actor, 'password-and-code');
      });
    },

    async askReauthenticationPasskey(userId) {
      return factorChecks.askPasskey({ purpose: 'confirm', userId });
    },

    async reauthenticateWithPasskey(actor, answer) {
      const { userId } = actor;
      const used = await factorChecks.readPasskey(answer, { purpose: 'confirm', userId });
      return db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        if (!owner || !(await factorChecks.recordPasskeyUse(tx, used, await clock.now(tx)))) throw usedMeanwhile();
        return renew(tx, actor, 'passkey');
      });
    },
  };
}

function usedMeanwhile(): AppError {
  return new AppError('VALIDATION', 'That passkey was removed or used elsewhere just now. Try again.');
}

function wrongPassword(): AppError {
  return refused('That is not your password. Check it, then try again.');
}

/** An account that was opened through an identity provider. */
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
