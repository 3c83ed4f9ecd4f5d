import { and, asc, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { loginAttempts, users } from '#server/schema/accounts.tables.ts';

/** `null` undoes the request. An earlier link for a new password expires either way. */
export async function storeDeletionRequest(
  tx: Executor,
  userId: string,
  request: { at: Date; healthyMs: number } | null,
): Promise<void> {
  await tx
    .update(users)
    .set({
      deletionRequestedAt: request?.at ?? null,
      deletionRequestedHealthyMs: request?.healthyMs ?? null,
      passwordResetToken: null,
      passwordResetExpires: null,
      ...(request ? {} : { isDisowned: false }),
    })
    .where(eq(users.id, userId));
}

/**
 * Clears the proof of the mailbox: neither signing in nor an earlier link proves any more that its reader owns the
 * account.
 */
export async function storeDisowned(tx: Executor, userId: string): Promise<void> {
  await tx
    .update(users)
    .set({
      isDisowned: true,
      mailboxProvenAt: null,
      emailVerificationToken: null,
      emailVerificationExpires: null,
      passwordResetToken: null,
      passwordResetExpires: null,
    })
    .where(eq(users.id, userId));
}

/** Accounts whose deletion was requested by then, the oldest request first. */
export async function listClosing(executor: Executor, requestedUntil: Date, limit: number): Promise<string[]> {
  const rows = await executor
    .select({ id: users.id })
    .from(users)
    .where(and(isNotNull(users.deletionRequestedAt), lte(users.deletionRequestedAt, requestedUntil)))
    .orderBy(asc(users.deletionRequestedAt))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Accounts whose id has one of these SHA-256 hashes, in hexadecimal. */
export async function listByHashedId(executor: Executor, hashes: readonly string[]): Promise<string[]> {
  const rows = await executor
    .select({ id: users.id })
    .from(users)
    .where(inArray(sql`encode(sha256(convert_to(${users.id}::text, 'UTF8')), 'hex')`, [...hashes]));
  return rows.map(({ id }) => id);
}

/** Removes the account with its vault key and every row that belongs to it, and the tries at its address. */
export async function deleteAccountRow(tx: Executor, userId: string, emailHash: string): Promise<void> {
  await tx.delete(loginAttempts).where(eq(loginAttempts.emailHash, emailHash));
  await tx.delete(users).where(eq(users.id, userId));
}
