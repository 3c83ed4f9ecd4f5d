import { freshSignInMs } from '#server/features/accounts/accounts.limits.ts';
import { isFreshSignIn } from '#server/features/accounts/accounts.rules.ts';
import { countFactors } from '#server/features/second-factors/second-factors.repository.ts';
import { offeredFactors } from '#server/features/second-factors/second-factors.rules.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, secondStepRequired } from '#shared/contract/errors.ts';

/** Whose session it is, and what its holder has proved in it. */
export type Proved = { userId: string; authenticatedAt: Date; secondFactorAt: Date | null };

export type FreshSignIns = {
  /** @throws AppError `REAUTHENTICATION_REQUIRED` where a second factor is turned on that the session has not passed. */
  requireSecondStep(proved: Proved, executor?: Executor): Promise<void>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED` where the last sign-in is older than ten minutes, or lacks the second step. */
  requireFreshSignIn(proved: Proved, executor?: Executor): Promise<void>;
};

/** A session that was left open, or stolen, must not be enough for what can do harm. */
export function createFreshSignIns({ db, clock }: { db: Database; clock: Clock }): FreshSignIns {
  /** A password that leaked may have opened this session before its owner asked for more. */
  async function requireSecondStep({ userId, secondFactorAt }: Proved, executor: Executor = db): Promise<void> {
    if (secondFactorAt !== null) return;
    if (offeredFactors(await countFactors(executor, userId)).length > 0) throw secondStepRequired();
  }

  return {
    requireSecondStep,
    async requireFreshSignIn(proved, executor = db) {
      await requireSecondStep(proved, executor);
      const now = await clock.now(executor);
      if (isFreshSignIn(proved.authenticatedAt.getTime(), now.getTime(), freshSignInMs)) return;
      throw new AppError(
        'REAUTHENTICATION_REQUIRED',
        'Confirm that it is you, with your password, a passkey or Google, to go on.',
      );
    },
  };
}
