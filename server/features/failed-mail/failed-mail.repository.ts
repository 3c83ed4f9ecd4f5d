import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import { frozenKinds } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { isFailedMail, notifications } from '#server/schema/notifications.tables.ts';
import { isFrozen } from '#server/schema/release.tables.ts';

/** Start of a page: the last try of the previous mail in milliseconds, and its id. */
export type FailedMailKey = { atMs: number; id: string };

export type FailedMailRow = Omit<typeof notifications.$inferSelect, 'trace'> & {
  account: string | null;
  isFrozen: boolean;
};

const { trace: _, ...columns } = getTableColumns(notifications);

/** True for a mail that waits while its account, or everything, is frozen. */
const isHeldBack = sql<boolean>`(${notifications.kind} = any(${sql.param(frozenKinds)}::text[]) and ${isFrozen(notifications.userId)})`;

/** Returns a page of failed mails, the last tried first. */
export async function listFailed(
  executor: Executor,
  { after, limit }: { after: FailedMailKey | undefined; limit: number },
): Promise<FailedMailRow[]> {
  const isOlder = after
    ? sql`(${notifications.lastAttemptAt}, ${notifications.id})
        < (${new Date(after.atMs).toISOString()}::timestamptz, ${after.id}::uuid)`
    : undefined;
  return executor
    .select({ ...columns, account: users.email, isFrozen: isHeldBack })
    .from(notifications)
    .leftJoin(users, eq(users.id, notifications.userId))
    .where(and(isFailedMail(notifications), isOlder))
    .orderBy(desc(notifications.lastAttemptAt), desc(notifications.id))
    .limit(limit);
}

/** Returns a failed mail; null for any other. */
export async function findFailed(executor: Executor, { id }: { id: string }): Promise<FailedMailRow | null> {
  const [row] = await executor
    .select({ ...columns, account: users.email, isFrozen: isHeldBack })
    .from(notifications)
    .leftJoin(users, eq(users.id, notifications.userId))
    .where(and(eq(notifications.id, id), isFailedMail(notifications)));
  return row ?? null;
}

/** Locks the row of a mail until the end of the transaction. */
export async function lockMailRow(tx: Executor, id: string): Promise<void> {
  await tx.select({ id: notifications.id }).from(notifications).where(eq(notifications.id, id)).for('update');
}

/** Makes a mail due now. The extra try uses up no patience, so the mail is given up no sooner. */
export async function makeDue(tx: Executor, id: string, at: Date): Promise<void> {
  await tx
    .update(notifications)
    .set({ nextAttemptAt: at, attemptsInVain: sql`${notifications.attemptsInVain} + 1` })
    .where(and(eq(notifications.id, id), eq(notifications.status, 'pending')));
}

export type FailedCounts = { trying: number; refused: number; givenUp: number };

/** Counts failed mails, at most `limit` of each state. */
export async function countFailed(
  executor: Executor,
  { endedAfter, limit }: { endedAfter: Date; limit: number },
): Promise<FailedCounts> {
  const ended = (status: 'bounced' | 'dead') => sql`(select count(*)::int from (select 1 from notifications
    where status in ('bounced', 'dead') and status = ${status} and channel = 'email'
      and ended_at > ${endedAfter.toISOString()}::timestamptz limit ${limit}) found)`;
  const { rows } = await executor.execute<{ trying: number; refused: number; given_up: number }>(sql`
    select (select count(*)::int from (select 1 from ${notifications}
      where ${isFailedMail(notifications)} and ${notifications.status} in ('pending', 'sending') limit ${limit}) found) as trying,
      ${ended('bounced')} as refused, ${ended('dead')} as given_up`);
  const [row] = rows;
  return { trying: row?.trying ?? 0, refused: row?.refused ?? 0, givenUp: row?.given_up ?? 0 };
}
