import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import {
  clearLoginAttempts,
  deleteOldLoginAttempts,
  lockLoginAttempts,
  storeLoginAttempts,
} from './login-throttling.repository.ts';
import { loginForgetMs, tryLogin } from './login-throttling.rules.ts';
import { tidyBatch } from './sessions.limits.ts';

export type LoginThrottling = {
  /**
   * Counts a try as wrong before anything is looked at, so that many at once cannot all pass on one reading of the
   * count. @throws AppError `RATE_LIMITED` with the time to wait.
   */
  count(key: string, tooMany: string): Promise<void>;
  /** Forgets the count, since the try proved right. */
  forget(tx: Executor, key: string, at: Date): Promise<void>;
  /** Begins the count anew, since the password is another one. */
  clear(tx: Executor, key: string): Promise<void>;
};

/** Wrong tries in a row, under a name that is a hash, with a growing delay. */
export function createLoginThrottling({ db, clock }: { db: Database; clock: Clock }): LoginThrottling {
  return {
    async count(key, tooMany) {
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
    },

    async forget(tx, key, at) {
      await clearLoginAttempts(tx, key);
      await deleteOldLoginAttempts(tx, new Date(at.getTime() - loginForgetMs), tidyBatch);
    },

    clear: clearLoginAttempts,
  };
}
