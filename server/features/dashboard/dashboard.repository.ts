import { and, count, eq, gt, sql } from 'drizzle-orm';
import { storedBytes, undeliveredMessages } from '#server/features/plan-limits/usage.queries.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { checkins, users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';

/**
 * Reads the figures with one statement over the tables of four features, since each visit to the first page asks for them.
 * Null if the account is gone. `heardOn` are the days in London with a sign of life since `since`, oldest first.
 */
export async function findDashboardFigures(executor: Executor, userId: string, since: Date) {
  const [row] = await executor
    .select({
      plan: users.plan,
      lastCheckinAt: users.lastCheckinAt,
      messages: undeliveredMessages(executor),
      activeContacts: activeContacts(executor),
      storedBytes: storedBytes(executor),
      hasRehearsed: hasDone(executor, 'release.rehearsed'),
      hasSavedCopy: hasDone(executor, 'export.create'),
      heardOn: daysHeardOn(executor, since),
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

function hasDone(executor: Executor, action: string) {
  const done = executor
    .select({ one: sql`1` })
    .from(auditLogs)
    .where(and(eq(auditLogs.userId, users.id), eq(auditLogs.action, action)));
  return sql`exists (${done})`.mapWith(Boolean);
}

function daysHeardOn(executor: Executor, since: Date) {
  const days = executor
    .selectDistinct({ day: sql`(${checkins.createdAt} at time zone 'Europe/London')::date::text`.as('day') })
    .from(checkins)
    .where(and(eq(checkins.userId, users.id), gt(checkins.createdAt, since)))
    .orderBy(sql`day`);
  return sql<string[]>`array(${days})`;
}
