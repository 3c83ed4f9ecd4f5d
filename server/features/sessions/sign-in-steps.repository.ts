import { eq, lte } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { signInSteps } from '#server/schema/second-factors.tables.ts';
import type { FirstStepMethod } from './sign-in-methods.ts';

export async function insertSignInStep(
  tx: Executor,
  step: { tokenHash: string; userId: string; method: FirstStepMethod; expiresAt: Date; isKept: boolean },
): Promise<void> {
  await tx.insert(signInSteps).values(step);
}

export async function findSignInStep(
  executor: Executor,
  tokenHash: string,
  now: Date,
): Promise<{ userId: string; method: FirstStepMethod; isKept: boolean } | null> {
  const [row] = await executor
    .select({
      userId: signInSteps.userId,
      method: signInSteps.method,
      isKept: signInSteps.isKept,
      expiresAt: signInSteps.expiresAt,
    })
    .from(signInSteps)
    .where(eq(signInSteps.tokenHash, tokenHash));
  return row && row.expiresAt > now ? { userId: row.userId, method: row.method, isKept: row.isKept } : null;
}

/** Ends a waiting sign-in. False if it had ended already. */
export async function deleteSignInStep(tx: Executor, tokenHash: string): Promise<boolean> {
  const gone = await tx
    .delete(signInSteps)
    .where(eq(signInSteps.tokenHash, tokenHash))
    .returning({ userId: signInSteps.userId });
  return gone.length > 0;
}

export async function deleteSignInStepsOf(tx: Executor, userId: string): Promise<void> {
  await tx.delete(signInSteps).where(eq(signInSteps.userId, userId));
}

/** Deletes sign-ins whose second step came too late. */
export async function deleteOldSignInSteps(tx: Executor, now: Date): Promise<void> {
  await tx.delete(signInSteps).where(lte(signInSteps.expiresAt, now));
}
