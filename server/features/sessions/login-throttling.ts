import type { App } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import {
  clearLoginAttempts,
  deleteOldLoginAttempts,
  lockLoginAttempts,
  storeLoginAttempts,
} from './login-throttling.repository.ts';
import { loginForgetMs, tryLogin } from './login-throttling.rules.ts';
import { tidyBatch } from './sessions.limits.ts';

/**
 * Counts a try as wrong before anything is checked, so that parallel tries can't all pass on one reading of the count. The
 * key is a hash, and the delay grows. @throws AppError `RATE_LIMITED` with the time to wait.
 */
export async function countTry({ db, clock }: App, key: string, tooMany: string): Promise<void> {
  const retryAfterSeconds = await db.transaction(async (tx) => {
    const now = await clock.now(tx);
    const known = await lockLoginAttempts(tx, key, now);
    const { failed, blockedUntil, lastTriedAt } = known;
    const before = { failed, blockedUntilMs: blockedUntil.getTime(), lastTriedAtMs: lastTriedAt.getTime() };
    const next = tryLogin(before, now.getTime());
    if (!next.allowed) return next.retryAfterSeconds;
    const { attempts } = next;
    const stored = { failed: attempts.failed, blockedUntil: new Date(attempts.blockedUntilMs), lastTriedAt: now };
    await storeLoginAttempts(tx, key, stored);
    return 0;
  });
  if (retryAfterSeconds > 0) throw new AppError('RATE_LIMITED', tooMany, { retryAfterSeconds });
}

/** Clears the count after a successful try, and deletes old counts. */
export async function forgetTries(tx: Executor, key: string, at: Date): Promise<void> {
  await clearLoginAttempts(tx, key);
  await deleteOldLoginAttempts(tx, new Date(at.getTime() - loginForgetMs), tidyBatch);
}

/** Clears the count, since the password is a new one. */
export async function clearTries(tx: Executor, key: string): Promise<void> {
  await clearLoginAttempts(tx, key);
}
