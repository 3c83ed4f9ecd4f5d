import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { hashToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import { tidyBatch } from './accounts.limits.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from './accounts.repository.ts';
import { loginForgetMs, tryLogin } from './accounts.rules.ts';
import type { ActivityLog } from './activity.service.ts';
import {
  type Credentials,
  clearLoginAttempts,
  deleteOldLoginAttempts,
  findCredentials,
  findCredentialsById,
  lockLoginAttempts,
  replaceHash,
  storeLogin,
  storeLoginAttempts,
} from './credentials.repository.ts';
import type { Passwords } from './passwords.ts';
import type { SessionKeeper } from './sessions.service.ts';

export type SignInForm = {
  email: string;
  password: string;
  /** The token of the session that the browser had before, which ends. */
  previousToken: string | null;
  origin: RequestOrigin;
};

export type SignIn = {
  /**
   * Signs in with a password: a new session, and a sign of life. Gives the session's token.
   *
   * @throws AppError `UNAUTHENTICATED`, the same for an unknown address and a wrong password; `RATE_LIMITED` after
   * too many wrong ones in a row for one address, known or not.
   */
  signIn(form: SignInForm): Promise<{ token: string; owner: OwnerRow }>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: Audit;
  passwords: Passwords;
  activity: ActivityLog;
  sessions: SessionKeeper;
};

export function createSignIn({ db, clock, audit, passwords, activity, sessions }: Dependencies): SignIn {
  /** Counts a try as wrong before the password is looked at; it is forgotten once the password proved right. */
  async function countTry(emailHash: string): Promise<void> {
    const retryAfterSeconds = await db.transaction(async (tx) => {
      const now = await clock.now(tx);
      const known = await lockLoginAttempts(tx, emailHash, now);
      const next = tryLogin(
        {
          failed: known.failed,
          blockedUntilMs: known.blockedUntil.getTime(),
          lastTriedAtMs: known.lastTriedAt.getTime(),
        },
        now.getTime(),
      );
      if (!next.allowed) return next.retryAfterSeconds;
      const { failed, blockedUntilMs } = next.attempts;
      await storeLoginAttempts(tx, emailHash, { failed, blockedUntil: new Date(blockedUntilMs), lastTriedAt: now });
      return 0;
    });
    if (retryAfterSeconds === 0) return;
    throw new AppError('RATE_LIMITED', 'Too many wrong passwords in a row. Wait a little, then try again.', {
      retryAfterSeconds,
    });
  }

  async function start(credentials: Credentials, form: SignInForm) {
    return db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, credentials.id);
      const current = await findCredentialsById(tx, credentials.id);
      // A reset that was completed while this password was being checked has the last word.
      if (!owner || current?.password !== credentials.password) throw refused();

      const at = await clock.now(tx);
      const { previousToken, origin } = form;
      await clearLoginAttempts(tx, hashToken(form.email));
      await deleteOldLoginAttempts(tx, new Date(at.getTime() - loginForgetMs), tidyBatch);
      const token = await startSession({ audit, activity, sessions }, tx, {
        userId: owner.id,
        previousToken,
        origin,
        at,
      });
      const signedIn = await findOwner(tx, owner.id);
      if (!signedIn) throw refused();
      return { token, owner: signedIn };
    });
  }

  return {
    async signIn(form) {
      await countTry(hashToken(form.email));
      const credentials = await findCredentials(db, form.email);
      const stored = credentials?.password ?? null;
      const isRight = await passwords.verify(stored, form.password);
      if (!credentials || stored === null || !isRight) throw refused();

      const signedIn = await start(credentials, form);
      if (passwords.isOutdated(stored)) {
        const renewed = await passwords.hash(form.password);
        await replaceHash(db, { userId: credentials.id, from: stored, to: renewed });
      }
      return signedIn;
    },
  };
}

/**
 * What every way of signing in ends with: a new session in place of the one the browser had, and a sign of life.
 * Gives the session's token. The owner's row is locked.
 */
export async function startSession(
  { audit, activity, sessions }: Pick<Dependencies, 'audit' | 'activity' | 'sessions'>,
  tx: Executor,
  start: { userId: string; previousToken: string | null; origin: RequestOrigin; at: Date },
): Promise<string> {
  const { userId, previousToken, origin, at } = start;
  if (previousToken) await sessions.dropToken(tx, previousToken);
  const token = await sessions.openSession(tx, { userId, origin, at });
  await storeLogin(tx, userId, at);
  await audit.record(tx, { userId, action: 'session.start', resource: 'session', origin, at });
  await activity.recordActivity(tx, { userId, type: 'login', at, origin });
  return token;
}

function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'That email address and password do not belong together. Check both.');
}
