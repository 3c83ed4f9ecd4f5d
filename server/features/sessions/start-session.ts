import type { App } from '#server/app.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { storeLogin } from '#server/features/accounts/credentials.repository.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dropSession, openSession } from './sessions.ts';
import type { SignInMethod } from './sign-in-methods.ts';

type SessionStart = {
  userId: string;
  /** Token of the browser's session before this one, which ends. */
  previousToken: string | null;
  origin: RequestOrigin;
  at: Date;
  /** Proof that the person gave, for the log. */
  method: SignInMethod;
  /** Second factor that was given as well. A passkey alone is both. */
  secondFactor: string | null;
  /** True if they chose to stay signed in. */
  isKept: boolean;
};

/** Finishes a sign-in: a new session replaces the browser's previous one, and it counts as a sign of life. Returns the token. The owner's row is locked. */
export async function startSession(app: App, tx: Executor, start: SessionStart): Promise<string> {
  const { userId, previousToken, origin, at, method, secondFactor, isKept } = start;
  if (previousToken) await dropSession(app, tx, previousToken);
  const proofs = {
    hasSecondFactor: secondFactor !== null,
    isOwnProof: method === 'password' || method === 'passkey' || secondFactor === 'passkey',
  };
  const token = await openSession(app, tx, { userId, origin, at, isKept, ...proofs });
  await storeLogin(tx, userId, at);
  const details = { method, ...(secondFactor ? { secondFactor } : {}) };
  await recordAudit(app, tx, { userId, action: 'session.start', resource: 'session', details, origin, at });
  await recordActivity(app, tx, { userId, type: 'login', at, origin });
  return token;
}
