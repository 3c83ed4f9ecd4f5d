import { and, eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { userIdentities } from '#server/schema/identities.tables.ts';

/** The account that signs in with this identity; null where there is none. */
export async function findUserOfIdentity(
  executor: Executor,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<string | null> {
  const [row] = await executor
    .select({ userId: userIdentities.userId })
    .from(userIdentities)
    .where(and(eq(userIdentities.issuer, issuer), eq(userIdentities.subject, subject)));
  return row?.userId ?? null;
}

/** Whether the account is somebody's at this provider already. */
export async function hasIdentityOf(executor: Executor, userId: string, issuer: string): Promise<boolean> {
  const [row] = await executor
    .select({ subject: userIdentities.subject })
    .from(userIdentities)
    .where(and(eq(userIdentities.userId, userId), eq(userIdentities.issuer, issuer)));
  return row !== undefined;
}

/** The providers, by their issuers, through which somebody can sign in to the account. */
export async function issuersOf(executor: Executor, userId: string): Promise<string[]> {
  const identities = executor.select({ issuer: userIdentities.issuer }).from(userIdentities);
  return (await identities.where(eq(userIdentities.userId, userId))).map(({ issuer }) => issuer);
}

export async function insertIdentity(
  tx: Executor,
  row: { issuer: string; subject: string; userId: string; at: Date },
): Promise<void> {
  const { issuer, subject, userId, at } = row;
  await tx.insert(userIdentities).values({ issuer, subject, userId, createdAt: at });
}
