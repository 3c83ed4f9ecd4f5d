import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { storedBytes, undeliveredMessages } from './usage.queries.ts';

/** An owner's use of their plan: undelivered messages, and the bytes of documents and attachments. */
export type Usage = { plan: PlanName; messages: number; storedBytes: number };

/** Null if the account is gone. */
export async function findUsage(executor: Executor, userId: string): Promise<Usage | null> {
  const [row] = await executor
    .select({ plan: users.plan, messages: undeliveredMessages(executor), storedBytes: storedBytes(executor) })
    .from(users)
    .where(eq(users.id, userId));
  return row ?? null;
}
