import { and, count, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { authenticators, passkeys, recoveryCodes } from '#server/schema/second-factors.tables.ts';

/** Second factors of an owner. Recovery codes exist only together with another factor. */
export type FactorCounts = { hasAuthenticator: boolean; passkeys: number; codesLeft: number };

export async function countFactors(executor: Executor, userId: string): Promise<FactorCounts> {
  const { rows } = await executor.execute<{ has_authenticator: boolean; passkeys: number; codes_left: number }>(sql`
    select
      exists (select from ${authenticators} where user_id = ${userId}::uuid and confirmed_at is not null) as has_authenticator,
      (select count(*)::int from ${passkeys} where user_id = ${userId}::uuid) as passkeys,
      (select count(*)::int from ${recoveryCodes} where user_id = ${userId}::uuid and used_at is null) as codes_left`);
  const [row] = rows;
  if (!row) throw new Error('A count was asked for and not given.');
  return { hasAuthenticator: row.has_authenticator, passkeys: row.passkeys, codesLeft: row.codes_left };
}

export type Authenticator = { secret: string; confirmedAt: Date | null; lastStep: number | null };

export async function findAuthenticator(executor: Executor, userId: string): Promise<Authenticator | null> {
  const { secret, confirmedAt, lastStep } = authenticators;
  const [row] = await executor
    .select({ secret, confirmedAt, lastStep })
    .from(authenticators)
    .where(eq(authenticators.userId, userId));
  return row ?? null;
}

/** A new secret that no code has confirmed yet, in place of such a one before it. */
export async function storeNewAuthenticator(
  tx: Executor,
  { userId, secret, at }: { userId: string; secret: string; at: Date },
): Promise<void> {
  const fresh = { secret, createdAt: at, confirmedAt: null, lastStep: null };
  await tx
    .insert(authenticators)
    .values({ userId, ...fresh })
    .onConflictDoUpdate({
      target: authenticators.userId,
      set: fresh,
      setWhere: isNull(authenticators.confirmedAt),
    });
}

export async function confirmAuthenticatorRow(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx.update(authenticators).set({ confirmedAt: at }).where(eq(authenticators.userId, userId));
}

/** Uses up the step of a code, and all earlier ones. False if it was used already. */
export async function takeStep(tx: Executor, userId: string, step: number): Promise<boolean> {
  const isLater = or(isNull(authenticators.lastStep), lt(authenticators.lastStep, step));
  const used = await tx
    .update(authenticators)
    .set({ lastStep: step })
    .where(and(eq(authenticators.userId, userId), isLater))
    .returning({ userId: authenticators.userId });
  return used.length > 0;
}

/** Returns true if there was a confirmed app. */
export async function deleteAuthenticator(tx: Executor, userId: string): Promise<boolean> {
  const gone = await tx
    .delete(authenticators)
    .where(and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAt)))
    .returning({ userId: authenticators.userId });
  return gone.length > 0;
}

/** Puts new codes in place of all there were. */
export async function replaceRecoveryCodes(
  tx: Executor,
  { userId, hashes, at }: { userId: string; hashes: readonly string[]; at: Date },
): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  if (hashes.length === 0) return;
  await tx.insert(recoveryCodes).values(hashes.map((codeHash) => ({ userId, codeHash, createdAt: at })));
}

/** Uses up a code. False if it is unknown or was used before. */
export async function takeRecoveryCode(
  tx: Executor,
  { userId, codeHash, at }: { userId: string; codeHash: string; at: Date },
): Promise<boolean> {
  const mine = and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash));
  const used = await tx
    .update(recoveryCodes)
    .set({ usedAt: at })
    .where(and(mine, isNull(recoveryCodes.usedAt)))
    .returning({ codeHash: recoveryCodes.codeHash });
  return used.length > 0;
}

/** Number of unused codes and their creation time; null if the owner has none. */
export async function recoveryCodesOf(
  executor: Executor,
  userId: string,
): Promise<{ left: number; madeAt: Date } | null> {
  const [row] = await executor
    .select({
      left: count(sql`case when ${recoveryCodes.usedAt} is null then 1 end`),
      madeAt: sql<Date | null>`max(${recoveryCodes.createdAt})`.mapWith(recoveryCodes.createdAt),
    })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.userId, userId));
  return row?.madeAt ? { left: row.left, madeAt: row.madeAt } : null;
}
