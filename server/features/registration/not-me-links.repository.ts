import { and, eq, gt } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notMeLinks } from '#server/schema/accounts.tables.ts';

export async function insertNotMeLink(
  tx: Executor,
  link: { tokenHash: string; userId: string; expiresAt: Date },
): Promise<void> {
  await tx.insert(notMeLinks).values(link);
}

export async function moveNotMeLinkEnd(executor: Executor, tokenHash: string, expiresAt: Date): Promise<void> {
  await executor.update(notMeLinks).set({ expiresAt }).where(eq(notMeLinks.tokenHash, tokenHash));
}

/** The account of a link; null if the link is unknown, used or expired. */
export async function findNotMeHolder(executor: Executor, tokenHash: string, at: Date): Promise<string | null> {
  const [row] = await executor
    .select({ userId: notMeLinks.userId })
    .from(notMeLinks)
    .where(and(eq(notMeLinks.tokenHash, tokenHash), gt(notMeLinks.expiresAt, at)));
  return row?.userId ?? null;
}

export async function deleteNotMeLinksOf(tx: Executor, userId: string): Promise<void> {
  await tx.delete(notMeLinks).where(eq(notMeLinks.userId, userId));
}
