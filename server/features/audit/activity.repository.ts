import { and, desc, eq, gte, inArray, lt, notInArray, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';

export type ActivityQuery = {
  userId: string;
  /** Only entries before this position. */
  before?: number | undefined;
  actions?: { in: readonly string[] } | { notIn: readonly string[] } | undefined;
  /** Whole days in London, as `2026-11-20`, both included. */
  from?: string | undefined;
  to?: string | undefined;
  limit: number;
};

export type ActivityRow = Pick<
  typeof auditLogs.$inferSelect,
  'position' | 'action' | 'details' | 'ipAddress' | 'userAgent' | 'createdAt'
>;

/** Entries of an owner's chain, the newest first: by its position, which no two share. */
export function listActivity(executor: Executor, query: ActivityQuery): Promise<ActivityRow[]> {
  const { position, action, details, ipAddress, userAgent, createdAt, chain } = auditLogs;
  const wanted: (SQL | undefined)[] = [
    eq(chain, query.userId),
    query.before === undefined ? undefined : lt(position, query.before),
    query.from === undefined ? undefined : gte(createdAt, midnightIn(query.from, 0)),
    query.to === undefined ? undefined : lt(createdAt, midnightIn(query.to, 1)),
    actionIn(query.actions),
  ];
  return executor
    .select({ position, action, details, ipAddress, userAgent, createdAt })
    .from(auditLogs)
    .where(and(...wanted))
    .orderBy(desc(position))
    .limit(query.limit);
}

/** When a day in London begins, `daysLater` days after the one given. */
function midnightIn(day: string, daysLater: number): SQL {
  return sql`(${day}::date + ${daysLater}::int)::timestamp at time zone 'Europe/London'`;
}

function actionIn(actions: ActivityQuery['actions']): SQL | undefined {
  if (!actions) return undefined;
  const { action } = auditLogs;
  return 'in' in actions ? inArray(action, [...actions.in]) : notInArray(action, [...actions.notIn]);
}
