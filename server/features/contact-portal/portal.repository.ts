import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { releaseCycles, releaseInvitations } from '#server/schema/release.tables.ts';

export type PortalLink = {
  invitation: typeof releaseInvitations.$inferSelect;
  cycle: typeof releaseCycles.$inferSelect;
};

/** The link of a contact and the cycle it belongs to, alive or not. */
export async function findPortalLink(executor: Executor, tokenHash: string): Promise<PortalLink | null> {
  const [row] = await executor
    .select({ invitation: releaseInvitations, cycle: releaseCycles })
    .from(releaseInvitations)
    .innerJoin(releaseCycles, eq(releaseCycles.id, releaseInvitations.cycleId))
    .where(eq(releaseInvitations.tokenHash, tokenHash));
  return row ?? null;
}
