import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { storeLogin } from '#server/features/accounts/credentials.repository.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { Sessions } from './sessions.service.ts';
import type { SignInMethod } from './sign-in-methods.ts';

type Dependencies = { audit: Audit; activity: ActivityLog; sessions: Pick<Sessions, 'open' | 'dropToken'> };

export type SessionStart = {
  userId: string;
  /** The token of the session that the browser had before, which ends. */
  previousToken: string | null;
  origin: RequestOrigin;
  at: Date;
  /** How the person proved who they are, for the log. */
  method: SignInMethod;
  /** Whether a second factor was given as well; a passkey alone is both. */
  secondFactor: string | null;
  /** Whether they chose to stay signed in. */
  isKept: boolean;
};

/**
 * What every way of signing in ends with: a new session in place of the one the browser had, and a sign of life.
 * Gives the session's token. The owner's row is locked.
 */
export async function startSession(deps: Dependencies, tx: Executor, start: SessionStart): Promise<string> {
  const { audit, activity, sessions } = deps;
  const { userId, previousToken, origin, at, method, secondFactor, isKept } = start;
  if (previousToken) await sessions.dropToken(tx, previousToken);
  const proofs = {
    hasSecondFactor: secondFactor !== null,
    isOwnProof: method === 'password' || method === 'passkey' || secondFactor === 'passkey',
  };
  const token = await sessions.open(tx, { userId, origin, at, isKept, ...proofs });
  await storeLogin(tx, userId, at);
  const details = { method, ...(secondFactor ? { secondFactor } : {}) };
  await audit.record(tx, { userId, action: 'session.start', resource: 'session', details, origin, at });
  await activity.recordActivity(tx, { userId, type: 'login', at, origin });
  return token;
}
