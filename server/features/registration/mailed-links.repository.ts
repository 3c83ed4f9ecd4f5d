import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';

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
