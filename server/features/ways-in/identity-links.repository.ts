import { and, count, eq, gt, isNotNull, isNull, type SQL } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { identityLinks } from '#server/schema/identities.tables.ts';

export type IdentityLinkRow = typeof identityLinks.$inferSelect;
type Named = { userId: string; issuer: string; subject: string };

export async function insertIdentityLink(tx: Executor, row: IdentityLinkRow): Promise<void> {
  await tx.insert(identityLinks).values(row);
}

/** Mail behind the button that links; null if its link is unknown, used or expired. */
export function findByLink(executor: Executor, linkHash: string, at: Date): Promise<IdentityLinkRow | null> {
  return findOne(executor, and(eq(identityLinks.linkHash, linkHash), gt(identityLinks.linkExpiresAt, at)));
}

/** Mail behind "This was not me"; null if its link is unknown, used or expired. */
export function findByNotMe(executor: Executor, notMeHash: string, at: Date): Promise<IdentityLinkRow | null> {
  const isOpen = and(gt(identityLinks.expiresAt, at), isNull(identityLinks.refusedAt));
  return findOne(executor, and(eq(identityLinks.notMeHash, notMeHash), isOpen));
}

async function findOne(executor: Executor, where: SQL | undefined): Promise<IdentityLinkRow | null> {
  const [row] = await executor.select().from(identityLinks).where(where);
  return row ?? null;
}

/** Number of mails since `since` that asked this owner for a link and are not answered. */
export async function countAsks(executor: Executor, userId: string, since: Date): Promise<number> {
  const mine = and(eq(identityLinks.userId, userId), gt(identityLinks.createdAt, since));
  const [row] = await executor
    .select({ asks: count() })
    .from(identityLinks)
    .where(and(mine, isNotNull(identityLinks.linkHash)));
  return row?.asks ?? 0;
}

/** Ends every button that would link this identity. "This was not me" stays. */
export async function endLinksOf(tx: Executor, { userId, issuer, subject }: Named): Promise<void> {
  await tx.update(identityLinks).set({ linkHash: null }).where(namedBy({ userId, issuer, subject }));
}

/** Ends every button of an owner that would link an identity. "This was not me" stays. */
export async function endAllLinksOf(tx: Executor, userId: string): Promise<void> {
  await tx.update(identityLinks).set({ linkHash: null }).where(eq(identityLinks.userId, userId));
}

/** Ends every mailed link about this identity, and refuses further questions for a link. */
export async function refuseIdentity(tx: Executor, { at, ...named }: Named & { at: Date }): Promise<void> {
  await tx.update(identityLinks).set({ linkHash: null, refusedAt: at }).where(namedBy(named));
}

/** True if the owner said "This was not me" to this identity in the last 30 days. */
export async function isRefused(executor: Executor, { at, ...named }: Named & { at: Date }): Promise<boolean> {
  const isInForce = and(isNotNull(identityLinks.refusedAt), gt(identityLinks.expiresAt, at));
  return (await findOne(executor, and(namedBy(named), isInForce))) !== null;
}

function namedBy({ userId, issuer, subject }: Named): SQL | undefined {
  return and(eq(identityLinks.userId, userId), eq(identityLinks.issuer, issuer), eq(identityLinks.subject, subject));
}
