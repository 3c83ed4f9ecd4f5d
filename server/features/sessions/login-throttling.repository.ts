import { asc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { loginAttempts } from '#server/schema/accounts.tables.ts';

/** The count for an address, locked until the transaction ends. A missing row is created. */
export async function lockLoginAttempts(
  tx: Executor,
  emailHash: string,
  now: Date,
): Promise<{ failed: number; blockedUntil: Date; lastTriedAt: Date }> {
  const [row] = await tx
    .insert(loginAttempts)
    .values({ emailHash, failed: 0, blockedUntil: now, lastTriedAt: now })
    // An update without a change locks the row and returns it.
    .onConflictDoUpdate({ target: loginAttempts.emailHash, set: { emailHash: sql`excluded.email_hash` } })
    .returning({
      failed: loginAttempts.failed,
      blockedUntil: loginAttempts.blockedUntil,
      lastTriedAt: loginAttempts.lastTriedAt,
    });
  if (!row) throw new Error('A count of tries was written and not given back.');
  return row;
}

export async function storeLoginAttempts(
  tx: Executor,
  emailHash: string,
  attempts: { failed: number; blockedUntil: Date; lastTriedAt: Date },
): Promise<void> {
  await tx.update(loginAttempts).set(attempts).where(eq(loginAttempts.emailHash, emailHash));
}

export async function clearLoginAttempts(tx: Executor, emailHash: string): Promise<void> {
  await tx.delete(loginAttempts).where(eq(loginAttempts.emailHash, emailHash));
}

/** Deletes counts of addresses without a try since `before`, at most `limit`. */
export async function deleteOldLoginAttempts(tx: Executor, before: Date, limit: number): Promise<void> {
  const old = tx
    .select({ emailHash: loginAttempts.emailHash })
    .from(loginAttempts)
    .where(lte(loginAttempts.lastTriedAt, before))
    .orderBy(asc(loginAttempts.lastTriedAt))
    .limit(limit)
    .for('update', { skipLocked: true });
  await tx.delete(loginAttempts).where(inArray(loginAttempts.emailHash, old));
}
