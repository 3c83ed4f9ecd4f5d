import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { users } from '#server/schema/accounts.tables.ts';

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

/** Removes the password. A reset link that was sent before is dead from then on, and no device is known. */
export async function storeNoPassword(tx: Executor, userId: string, at: Date): Promise<void> {
  const dead = { passwordResetToken: null, passwordResetExpires: null, devicesForgottenAt: at, updatedAt: at };
  await tx
    .update(users)
    .set({ password: null, ...dead })
    .where(eq(users.id, userId));
}

/** Ends the reset link that was mailed last, and knows no device any more. */
export async function endResetLink(tx: Executor, userId: string, at: Date): Promise<void> {
  const dead = { passwordResetToken: null, passwordResetExpires: null, devicesForgottenAt: at };
  await tx.update(users).set(dead).where(eq(users.id, userId));
}

export async function storeLogin(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx.update(users).set({ lastLoginAt: at }).where(eq(users.id, userId));
}
