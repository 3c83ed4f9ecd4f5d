import type { App } from '#server/app.ts';
import { freshSignInMs } from '#server/features/accounts/accounts.limits.ts';
import { offeredFactorsOf } from '#server/features/sessions/second-factors/offered-factors.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, secondStepRequired } from '#shared/contract/errors.ts';
import { findProved } from './sessions.repository.ts';
import { isFreshSignIn } from './sessions.rules.ts';

/** Owner of a session, and what its holder has proved in it. */
export type Proved = { userId: string; authenticatedAt: Date; secondFactorAt: Date | null };

type Session = { userId: string; sessionId: string };

/** @throws AppError `REAUTHENTICATION_REQUIRED` if a second factor is turned on that the session has not passed. */
export async function requireSecondStep({ db }: App, proved: Proved, executor: Executor = db): Promise<void> {
  const missing = await missingSecondStep(proved, executor);
  if (missing) throw missing;
}

/**
 * Protects changes that can do harm from a session that was left open or stolen.
 * @throws AppError `REAUTHENTICATION_REQUIRED` if the last sign-in is older than ten minutes, or lacks the second step.
 */
export async function requireFreshSignIn(app: App, proved: Proved, executor: Executor = app.db): Promise<void> {
  const stale = await staleSignIn(app, proved, executor);
  if (stale) throw stale;
}

/**
 * Error that `requireFreshSignIn` would throw, or null if the session is fresh. A caller asks first when it is costly to find
 * out if the call needs one.
 */
export async function staleSignIn(app: App, proved: Proved, executor: Executor = app.db): Promise<AppError | null> {
  const missing = await missingSecondStep(proved, executor);
  if (missing) return missing;
  const now = await app.clock.now(executor);
  if (isFreshSignIn(proved.authenticatedAt.getTime(), now.getTime(), freshSignInMs)) return null;
  return new AppError(
    'REAUTHENTICATION_REQUIRED',
    'To go on, confirm that it is you: with your password, a passkey or the account that you sign in with.',
  );
}

/**
 * Checks the sign-in as `requireFreshSignIn` does, with the session's current row. A change a moment ago may have added
 * a factor or ended the session.
 * @throws AppError `UNAUTHENTICATED` if it has ended, `REAUTHENTICATION_REQUIRED`.
 */
export async function requireFreshSession(app: App, executor: Executor, session: Session): Promise<void> {
  await requireFreshSignIn(app, await provedIn(executor, session), executor);
}

/**
 * True if the session is fresh by the password or a passkey. A provider alone must not add another provider.
 * @throws AppError as `requireFreshSession` does if the second step is missing or the session has ended.
 */
export async function hasFreshOwnProof(app: App, executor: Executor, session: Session): Promise<boolean> {
  const proved = await provedIn(executor, session);
  await requireSecondStep(app, proved, executor);
  const now = await app.clock.now(executor);
  return proved.ownProofAt !== null && isFreshSignIn(proved.ownProofAt.getTime(), now.getTime(), freshSignInMs);
}

/** A stranger with a leaked password may have opened this session before its owner turned a factor on. */
async function missingSecondStep({ userId, secondFactorAt }: Proved, executor: Executor): Promise<AppError | null> {
  if (secondFactorAt !== null) return null;
  return (await offeredFactorsOf(executor, userId)).length > 0 ? secondStepRequired() : null;
}

async function provedIn(executor: Executor, session: Session) {
  const proved = await findProved(executor, session);
  if (!proved) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
  return proved;
}
