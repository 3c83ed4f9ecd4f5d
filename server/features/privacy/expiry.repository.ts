import { inArray, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { checkins, loginAttempts, sessions, users } from '#server/features/accounts/accounts.tables.ts';
import { bulkEmailRecipients } from '#server/features/admin/bulk-emails.tables.ts';
import { payments } from '#server/features/billing/billing.tables.ts';
import { smsNotifications } from '#server/features/notifications/notifications.tables.ts';
import { checkinLinks } from '#server/features/release/release.tables.ts';
import type { Executor } from '#server/platform/db/database.ts';

/** Deletes at most `limit` rows that meet a condition, leaving those another worker has. Gives how many. */
async function deleteSome(executor: Executor, table: PgTable, key: PgColumn, where: SQL | undefined, limit: number) {
  const some = executor.select({ key }).from(table).where(where).limit(limit).for('update', { skipLocked: true });
  const gone = await executor.delete(table).where(inArray(key, some)).returning({ one: sql`1` });
  return gone.length;
}

/**
 * Which news went to people who want none any more. That they want none stays with their account, or news would come
 * again.
 */
async function deleteOldNews(executor: Executor, stoppedBefore: Date, limit: number): Promise<number> {
  const { rowCount } = await executor.execute(sql`
    delete from ${bulkEmailRecipients} where (bulk_email_id, user_id) in (
      select news.bulk_email_id, news.user_id from ${bulkEmailRecipients} news
      join ${users} person on person.id = news.user_id
      where person.news_stopped_at < ${stoppedBefore} and news.state not in ('waiting', 'queued')
      limit ${limit}
      for update of news skip locked)`);
  return rowCount ?? 0;
}

/** What each kind of record is kept until; older ones go. */
export type Limits = { security: Date; payments: Date; texts: Date; newsStopped: Date; now: Date };

/** One batch of everything that goes without being told of: records of the service and not what anybody wrote. */
export async function deleteExpired(executor: Executor, limits: Limits, limit: number): Promise<number> {
  const counts = [
    await deleteSome(executor, checkins, checkins.id, lt(checkins.createdAt, limits.security), limit),
    await deleteSome(executor, sessions, sessions.sid, lte(sessions.expire, limits.now), limit),
    await deleteSome(
      executor,
      loginAttempts,
      loginAttempts.emailHash,
      lt(loginAttempts.lastTriedAt, limits.security),
      limit,
    ),
    await deleteSome(executor, checkinLinks, checkinLinks.tokenHash, lt(checkinLinks.expiresAt, limits.now), limit),
    await deleteSome(
      executor,
      smsNotifications,
      smsNotifications.id,
      lt(smsNotifications.createdAt, limits.texts),
      limit,
    ),
    await deleteSome(executor, payments, payments.id, lt(payments.paidAt, limits.payments), limit),
    await deleteOldNews(executor, limits.newsStopped, limit),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}
