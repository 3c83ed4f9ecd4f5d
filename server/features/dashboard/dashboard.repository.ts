import { and, count, eq, sql } from 'drizzle-orm';
import { storedBytes, undeliveredMessages } from '#server/features/plan-limits/usage.queries.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';

/**
 * One statement over the tables of four features: every visit to the first page asks for these, and so does every return
 * to its window. Null where the account is gone.
 */
export async function findDashboardFigures(executor: Executor, userId: string) {
  const [row] = await executor
    .select({
      plan: users.plan,
      lastCheckinAt: users.lastCheckinAt,
      messages: undeliveredMessages(executor),
      activeContacts: activeContacts(executor),
      storedBytes: storedBytes(executor),
      hasRehearsed: hasDone('release.rehearsed'),
      hasSavedCopy: hasDone('export.create'),
    })
    .from(users)
    .where(eq(users.id, userId));
  return row ?? null;
}

function activeContacts(executor: Executor) {
  const counted = executor
    .select({ count: count() })
    .from(trustedContacts)
    .where(and(eq(trustedContacts.userId, users.id), trustedContacts.isActive));
  return sql`(${counted})`.mapWith(Number);
}

function hasDone(action: string) {
  const done = sql`exists (select from ${auditLogs} where ${auditLogs.userId} = ${users.id} and ${auditLogs.action} = ${action})`;
  return done.mapWith(Boolean);
}
