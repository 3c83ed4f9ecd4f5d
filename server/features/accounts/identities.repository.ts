import { and, asc, eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { userIdentities } from '#server/schema/identities.tables.ts';

export type IdentityName = { issuer: string; subject: string };
export type IdentityRow = typeof userIdentities.$inferSelect;

function named({ issuer, subject }: IdentityName) {
  return and(eq(userIdentities.issuer, issuer), eq(userIdentities.subject, subject));
}

/** Id of the account that signs in with this identity; null if there is none. */
export async function findUserOfIdentity(executor: Executor, identity: IdentityName): Promise<string | null> {
  const [row] = await executor.select({ userId: userIdentities.userId }).from(userIdentities).where(named(identity));
  return row?.userId ?? null;
}

/** True if the account is linked with some person of this provider. */
export async function hasIdentityOf(executor: Executor, userId: string, issuer: string): Promise<boolean> {
  const [row] = await executor
    .select({ subject: userIdentities.subject })
    .from(userIdentities)
    .where(and(eq(userIdentities.userId, userId), eq(userIdentities.issuer, issuer)));
  return row !== undefined;
}

/** Identities that open the account, the oldest link first. At most one for each provider. */
export function identitiesOf(executor: Executor, userId: string): Promise<IdentityRow[]> {
  return executor
    .select()
    .from(userIdentities)
    .where(eq(userIdentities.userId, userId))
    .orderBy(asc(userIdentities.createdAt), asc(userIdentities.id));
}

/** Returns false if the identity opens an account already, or the account has another of this issuer. */
export async function insertIdentity(
  tx: Executor,
  row: IdentityName & { userId: string; email: string | null; at: Date },
): Promise<boolean> {
  const { issuer, subject, userId, email, at } = row;
  const values = { issuer, subject, userId, email, createdAt: at };
  const written = await tx.insert(userIdentities).values(values).onConflictDoNothing().returning();
  return written.length > 0;
}

/** Records a use. `email` is the address that the provider reports now. */
export async function storeIdentityUse(
  tx: Executor,
  { email, at, ...identity }: IdentityName & { email: string | null; at: Date },
): Promise<void> {
  await tx.update(userIdentities).set({ email, lastUsedAt: at }).where(named(identity));
}

/** Returns the removed row; null if this owner has no such identity. */
export async function deleteIdentity(tx: Executor, userId: string, id: string): Promise<IdentityRow | null> {
  const [gone] = await tx
    .delete(userIdentities)
    .where(and(eq(userIdentities.userId, userId), eq(userIdentities.id, id)))
    .returning();
  return gone ?? null;
}

/** Returns the removed row; null if the account is not linked with this identity. */
export async function deleteIdentityNamed(
  tx: Executor,
  { userId, ...identity }: IdentityName & { userId: string },
): Promise<IdentityRow | null> {
  const [gone] = await tx
    .delete(userIdentities)
    .where(and(eq(userIdentities.userId, userId), named(identity)))
    .returning();
  return gone ?? null;
}

/** Removes every identity of an account, and returns them. */
export function deleteIdentitiesOf(tx: Executor, userId: string): Promise<IdentityRow[]> {
  return tx.delete(userIdentities).where(eq(userIdentities.userId, userId)).returning();
}
