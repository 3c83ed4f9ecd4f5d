import { and, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';

export type ActionsOf = { userId: string; actions: readonly string[]; after: Date; until: Date; limit: number };
export type RecordedAction = { action: string; details: Record<string, unknown> | null; at: Date };

/** Counts these actions of an owner in a time, and returns the last of them, oldest first. */
export async function recordedActionsOf(
  executor: Executor,
  { userId, actions, after, until, limit }: ActionsOf,
): Promise<{ count: number; last: RecordedAction[] }> {
  const { action, details, createdAt, position } = auditLogs;
  const rows = await executor
    .select({ action, details, at: createdAt, count: sql<number>`(count(*) over ())::int` })
    .from(auditLogs)
    .where(
      and(eq(auditLogs.userId, userId), inArray(action, [...actions]), gt(createdAt, after), lte(createdAt, until)),
    )
    .orderBy(desc(position))
    .limit(limit);
  return { count: rows[0]?.count ?? 0, last: rows.reverse() };
}
