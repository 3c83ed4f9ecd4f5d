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

/** Replaces a stored hash by a new hash of the same password, unless the password changed meanwhile. */
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

/** Sets a new password. An earlier reset link expires, and known devices are forgotten. */
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

/** Removes the password. An earlier reset link expires, and known devices are forgotten. */
export async function storeNoPassword(tx: Executor, userId: string, at: Date): Promise<void> {
  const withoutResetLink = {
    passwordResetToken: null,
    passwordResetExpires: null,
    devicesForgottenAt: at,
    updatedAt: at,
  };
  await tx
    .update(users)
    .set({ password: null, ...withoutResetLink })
    .where(eq(users.id, userId));
}

/** Expires the latest reset link, and forgets known devices. */
export async function endResetLink(tx: Executor, userId: string, at: Date): Promise<void> {
  const withoutResetLink = { passwordResetToken: null, passwordResetExpires: null, devicesForgottenAt: at };
  await tx.update(users).set(withoutResetLink).where(eq(users.id, userId));
}

export async function storeLogin(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx.update(users).set({ lastLoginAt: at }).where(eq(users.id, userId));
}
