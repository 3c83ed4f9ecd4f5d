import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { storedBytes, undeliveredMessages } from './usage.queries.ts';

/** What an owner has used of their plan. `messages` are those not delivered; the bytes are documents and attachments. */
export type Usage = { plan: PlanName; messages: number; storedBytes: number };

/** Null where the account is gone. */
export async function findUsage(executor: Executor, userId: string): Promise<Usage | null> {
  const [row] = await executor
    .select({ plan: users.plan, messages: undeliveredMessages(executor), storedBytes: storedBytes(executor) })
    .from(users)
    .where(eq(users.id, userId));
  return row ?? null;
}
