import { and, asc, eq, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { readyChanges } from '#server/schema/messages.tables.ts';
import type { ReadyChangeKind } from './ready-changes.rules.ts';

/** Marks that a ready message of this owner changed. The oldest change that was not emailed stays the mark. */
export async function markReadyChange(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx
    .insert(readyChanges)
    .values({ userId, since: at })
    .onConflictDoUpdate({
      target: readyChanges.userId,
      // `least` ignores null.
      set: { since: sql`least(${readyChanges.since}, excluded.since)` },
    });
}

type Due = { toldBefore: Date };

const isDue = ({ toldBefore }: Due) =>
  and(isNotNull(readyChanges.since), or(isNull(readyChanges.toldAt), lte(readyChanges.toldAt, toldBefore)));

/** A page of due owners ends here. */
export type DueEnd = { userId: string; since: Date };

/** Returns a page of owners with a verified address, no requested deletion, and changes to be emailed, oldest change first. */
export async function listDueReadyChanges(
  executor: Executor,
  { after, limit, ...due }: Due & { after: DueEnd | null; limit: number },
): Promise<DueEnd[]> {
  const { userId, since } = readyChanges;
  const isAfter = after && sql`(${since}, ${userId}) > (${instantOf(after.since)}, ${after.userId}::uuid)`;
  const rows = await executor
    .select({ userId, since })
    .from(readyChanges)
    .innerJoin(users, eq(users.id, userId))
    .where(and(isDue(due), users.emailVerified, isNull(users.deletionRequestedAt), isAfter ?? undefined))
    .orderBy(asc(since), asc(userId))
    .limit(limit);
  return rows.flatMap(({ userId, since }) => (since ? [{ userId, since }] : []));
}

/** Returns the time of the oldest change, or null if another worker has emailed the owner. Call it under the owner's lock. */
export async function findDueSince(tx: Executor, userId: string, due: Due): Promise<Date | null> {
  const [row] = await tx
    .select({ since: readyChanges.since })
    .from(readyChanges)
    .where(and(eq(readyChanges.userId, userId), isDue(due)));
  return row?.since ?? null;
}

export async function storeTold(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx.update(readyChanges).set({ since: null, toldAt: at }).where(eq(readyChanges.userId, userId));
}

type Window = { userId: string; since: Date };

const inWindow = ({ userId, since }: Window) =>
  and(
    eq(auditLogs.userId, userId),
    sql`${auditLogs.createdAt} >= ${instantOf(since)}`,
    sql`${auditLogs.details} ? 'ready'`,
  );

function instantOf(at: Date): SQL {
  return sql`${at.toISOString()}::timestamptz`;
}

/** Number of messages with this kind of change, and the times of the first and the last one. */
export type Tally = { kind: ReadyChangeKind; count: number; firstAt: Date; lastAt: Date };

/** Counts messages by kind of change. An import counts the ready messages that it brought. */
export async function tallyReadyChanges(tx: Executor, window: Window): Promise<Tally[]> {
  const { details, resourceId, createdAt } = auditLogs;
  const { rows } = await tx.execute<{ kind: ReadyChangeKind; count: number; first_at: string; last_at: string }>(sql`
    select kind, (count(distinct ${resourceId}) filter (where kind <> 'imported')
        + coalesce(sum((${details} ->> 'readyMessages')::int) filter (where kind = 'imported'), 0))::int as count,
      min(${createdAt}) as first_at, max(${createdAt}) as last_at
    from ${auditLogs}, jsonb_array_elements_text(${details} -> 'ready') kind
    where ${inWindow(window)} group by kind`);
  return rows.map(({ kind, count, first_at, last_at }) => {
    return { kind, count, firstAt: new Date(first_at), lastAt: new Date(last_at) };
  });
}

/** Returns the browsers of these changes, newest first. Null for changes without a browser. */
export async function listBrowsers(tx: Executor, window: Window, limit: number): Promise<(string | null)[]> {
  const { userAgent, createdAt } = auditLogs;
  const rows = await tx
    .select({ userAgent })
    .from(auditLogs)
    .where(inWindow(window))
    .groupBy(userAgent)
    .orderBy(sql`max(${createdAt}) desc`)
    .limit(limit);
  return rows.map(({ userAgent }) => userAgent);
}

/** Returns ids of new readers, last added first, with the number of all of them. */
export async function listNewReaders(
  tx: Executor,
  window: Window,
  limit: number,
): Promise<{ ids: string[]; count: number }> {
  const { details, position } = auditLogs;
  const { rows } = await tx.execute<{ id: string; count: number }>(sql`
    select reader as id, (count(*) over ())::int as count
    from ${auditLogs}, jsonb_array_elements_text(${details} -> 'newReaders') reader
    where ${inWindow(window)} and ${details} ? 'newReaders'
    group by reader order by max(${position}) desc, reader limit ${limit}`);
  return { ids: rows.map(({ id }) => id), count: rows[0]?.count ?? 0 };
}
