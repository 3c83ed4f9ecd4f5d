import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { loginAttempts, users } from '#server/schema/accounts.tables.ts';

const credentialColumns = {
  id: users.id,
  email: users.email,
  password: users.password,
  tempPassword: users.tempPassword,
  devicesForgottenAt: users.devicesForgottenAt,
};

const credentialsByEmail = prepared((executor) =>
  executor
    .select(credentialColumns)
    .from(users)
    .where(eq(users.email, sql.placeholder('email')))
    .prepare('credentials_by_email'),
);

export type Credentials = Pick<typeof users.$inferSelect, keyof typeof credentialColumns>;

export async function findCredentials(executor: Executor, email: string): Promise<Credentials | null> {
  const [row] = await credentialsByEmail(executor).execute({ email });
  return row ?? null;
}

export async function findCredentialsById(executor: Executor, userId: string): Promise<Credentials | null> {
  const [row] = await executor.select(credentialColumns).from(users).where(eq(users.id, userId));
  return row ?? null;
}

/** Replaces a stored password by the same one hashed anew, unless it was changed in the meantime. */
export async function replaceHash(
  executor: Executor,
  change: { userId: string; from: string; to: string },
): Promise<void> {
  await executor
    .update(users)
    .set({ password: change.to })
    .where(and(eq(users.id, change.userId), eq(users.password, change.from)));
}

/** From now on no device is known, until it signs in again. */
export async function forgetDevices(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx.update(users).set({ devicesForgottenAt: at }).where(eq(users.id, userId));
}

/** Sets a new password; a reset link that was under way is dead from then on, and no device is known. */
export async function storePassword(
  tx: Executor,
  change: { userId: string; passwordHash: string; at: Date },
): Promise<void> {
  await tx
    .update(users)
    .set({
      password: change.passwordHash,
      tempPassword: false,
      passwordResetToken: null,
      passwordResetExpires: null,
      devicesForgottenAt: change.at,
      updatedAt: change.at,
    })
    .where(eq(users.id, change.userId));
}

export async function storeLogin(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx.update(users).set({ lastLoginAt: at }).where(eq(users.id, userId));
}

export type LinkHolder = { id: string; email: string; emailVerified: boolean; expiresAt: Date | null };

const linkHolderColumns = { id: users.id, email: users.email, emailVerified: users.emailVerified };

export async function findByVerificationToken(executor: Executor, tokenHash: string): Promise<LinkHolder | null> {
  const [row] = await executor
    .select({ ...linkHolderColumns, expiresAt: users.emailVerificationExpires })
    .from(users)
    .where(eq(users.emailVerificationToken, tokenHash));
  return row ?? null;
}

export async function findByResetToken(executor: Executor, tokenHash: string): Promise<LinkHolder | null> {
  const [row] = await executor
    .select({ ...linkHolderColumns, expiresAt: users.passwordResetExpires })
    .from(users)
    .where(eq(users.passwordResetToken, tokenHash));
  return row ?? null;
}

export async function storeVerificationToken(
  tx: Executor,
  link: { userId: string; tokenHash: string; expiresAt: Date },
): Promise<void> {
  await tx
    .update(users)
    .set({ emailVerificationToken: link.tokenHash, emailVerificationExpires: link.expiresAt })
    .where(eq(users.id, link.userId));
}

export async function storeResetToken(
  tx: Executor,
  link: { userId: string; tokenHash: string; expiresAt: Date },
): Promise<void> {
  await tx
    .update(users)
    .set({ passwordResetToken: link.tokenHash, passwordResetExpires: link.expiresAt })
    .where(eq(users.id, link.userId));
}

/** The count for an address, locked until the end of the transaction; made where there was none. */
export async function lockLoginAttempts(
  tx: Executor,
  emailHash: string,
  now: Date,
): Promise<{ failed: number; blockedUntil: Date; lastTriedAt: Date }> {
  const [row] = await tx
    .insert(loginAttempts)
    .values({ emailHash, failed: 0, blockedUntil: now, lastTriedAt: now })
    // An update that changes nothing, for the lock and for the row to be given back.
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

/** Forgets addresses nobody tried since `before`, at most `limit`. */
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
