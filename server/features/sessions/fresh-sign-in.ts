import { freshSignInMs } from '#server/features/accounts/accounts.limits.ts';
import { offeredFactorsOf } from '#server/features/second-factors/offered-factors.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, secondStepRequired } from '#shared/contract/errors.ts';
import { findProved } from './sessions.repository.ts';
import { isFreshSignIn } from './sessions.rules.ts';

/** Whose session it is, and what its holder has proved in it. */
export type Proved = { userId: string; authenticatedAt: Date; secondFactorAt: Date | null };

export type FreshSignIns = {
  /** @throws AppError `REAUTHENTICATION_REQUIRED` where a second factor is turned on that the session has not passed. */
  requireSecondStep(proved: Proved, executor?: Executor): Promise<void>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED` where the last sign-in is older than ten minutes, or lacks the second step. */
  requireFreshSignIn(proved: Proved, executor?: Executor): Promise<void>;
  /**
   * Error that `requireFreshSignIn` would throw, or null if the session is fresh. A caller asks first when it is costly to find
   * out if the call needs one.
   */
  staleSignIn(proved: Proved, executor?: Executor): Promise<AppError | null>;
  /**
   * The same of a session as its row is now, since another may have turned a factor on, and ended this one, a moment ago.
   * @throws AppError `UNAUTHENTICATED` where it has ended, `REAUTHENTICATION_REQUIRED`.
   */
  requireFreshSession(executor: Executor, session: { userId: string; sessionId: string }): Promise<void>;
  /**
   * True if the session is fresh by the password or a passkey. A provider alone must not add another provider.
   * @throws AppError as `requireFreshSession` does if the second step is missing or the session has ended.
   */
  hasFreshOwnProof(executor: Executor, session: { userId: string; sessionId: string }): Promise<boolean>;
};

/** A session that was left open, or stolen, must not be enough for what can do harm. */
export function createFreshSignIns({ db, clock }: { db: Database; clock: Clock }): FreshSignIns {
  /** A password that leaked may have opened this session before its owner asked for more. */
  async function missingSecondStep({ userId, secondFactorAt }: Proved, executor: Executor): Promise<AppError | null> {
    if (secondFactorAt !== null) return null;
    return (await offeredFactorsOf(executor, userId)).length > 0 ? secondStepRequired() : null;
  }

  async function requireSecondStep(proved: Proved, executor: Executor = db): Promise<void> {
    const missing = await missingSecondStep(proved, executor);
    if (missing) throw missing;
  }

  async function staleSignIn(proved: Proved, executor: Executor = db): Promise<AppError | null> {
    const missing = await missingSecondStep(proved, executor);
    if (missing) return missing;
    const now = await clock.now(executor);
    if (isFreshSignIn(proved.authenticatedAt.getTime(), now.getTime(), freshSignInMs)) return null;
    return new AppError(
      'REAUTHENTICATION_REQUIRED',
      'Confirm that it is you, with your password, a passkey or the account that you sign in with, to go on.',
    );
  }

  async function requireFreshSignIn(proved: Proved, executor: Executor = db): Promise<void> {
    const stale = await staleSignIn(proved, executor);
    if (stale) throw stale;
  }

  async function provedIn(executor: Executor, session: { userId: string; sessionId: string }) {
    const proved = await findProved(executor, session);
    if (!proved) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
    return proved;
  }

  return {
    requireSecondStep,
    requireFreshSignIn,
    staleSignIn,
    requireFreshSession: async (executor, session) => requireFreshSignIn(await provedIn(executor, session), executor),
    async hasFreshOwnProof(executor, session) {
      const proved = await provedIn(executor, session);
      await requireSecondStep(proved, executor);
      const now = await clock.now(executor);
      return proved.ownProofAt !== null && isFreshSignIn(proved.ownProofAt.getTime(), now.getTime(), freshSignInMs);
    },
  };
}
