import { and, inArray, isNotNull, lt, lte, not, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from '#server/platform/db/database.ts';
import { checkins, loginAttempts, notMeLinks, sessions, users } from '#server/schema/accounts.tables.ts';
import { payments } from '#server/schema/billing.tables.ts';
import { bulkEmailRecipients } from '#server/schema/bulk-emails.tables.ts';
import { complaints } from '#server/schema/complaints.tables.ts';
import { messageEnclosures } from '#server/schema/messages.tables.ts';
import { smsNotifications } from '#server/schema/notifications.tables.ts';
import { recentlyDeleted } from '#server/schema/recently-deleted.tables.ts';
import { checkinLinks, releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';

/** Deletes at most `limit` rows whose time is over, leaving those another worker has. Gives how many. */
type DeleteSome = (executor: Executor, limits: Limits, limit: number) => Promise<number>;

/** What each kind of record is kept until; older ones go. */
export type Limits = {
  security: Date;
  payments: Date;
  complaints: Date;
  texts: Date;
  newsStopped: Date;
  deleted: Date;
  staged: Date;
  now: Date;
};

/**
 * Whose "yes" it is that comes from a number is known by the texts it was sent, however long ago: as long as something is
 * asked, they are kept.
 */
const mayBeAnswered = sql`((exists (
  select from ${releaseSilences} where ${releaseSilences.userId} = ${smsNotifications.userId}
    and ${releaseSilences.closedAt} is null
) or exists (
  select from ${releaseRequests} where ${releaseRequests.userId} = ${smsNotifications.userId}
    and ${releaseRequests.closedAt} is null
)) and not exists (
  select from ${releaseRequests} where ${releaseRequests.userId} = ${smsNotifications.userId}
    and ${releaseRequests.closedAt} is null and ${releaseRequests.doneAt} is not null
))`;

/**
 * Everything that goes without being told of: records of the service and not what anybody wrote. Each kind by itself, for
 * one that has many says nothing of the others.
 */
export const expiring = {
  check_ins: deleteWhere(checkins, checkins.id, ({ security }) => lt(checkins.createdAt, security)),
  sessions: deleteWhere(sessions, sessions.sid, ({ now }) => lte(sessions.expire, now)),
  sign_in_tries: deleteWhere(loginAttempts, loginAttempts.emailHash, ({ security }) =>
    lt(loginAttempts.lastTriedAt, security),
  ),
  check_in_links: deleteWhere(checkinLinks, checkinLinks.tokenHash, ({ now }) => lt(checkinLinks.expiresAt, now)),
  not_me_links: deleteWhere(notMeLinks, notMeLinks.tokenHash, ({ now }) => lte(notMeLinks.expiresAt, now)),
  texts: deleteWhere(smsNotifications, smsNotifications.id, ({ texts }) =>
    and(lt(smsNotifications.createdAt, texts), not(mayBeAnswered)),
  ),
  payments: deleteWhere(payments, payments.id, (limits) => lt(payments.paidAt, limits.payments)),
  // One that is open waits for its answer, however long.
  complaints: deleteWhere(complaints, complaints.id, (limits) => lt(complaints.closedAt, limits.complaints)),
  recently_deleted: deleteWhere(recentlyDeleted, recentlyDeleted.id, ({ deleted }) =>
    lte(recentlyDeleted.deletedAt, deleted),
  ),
  staged_enclosures: deleteWhere(messageEnclosures, messageEnclosures.id, ({ staged }) =>
    and(isNotNull(messageEnclosures.staging), lte(messageEnclosures.createdAt, staged)),
  ),
  news: deleteOldNews,
} as const satisfies Record<string, DeleteSome>;

function deleteWhere(table: PgTable, key: PgColumn, isOver: (limits: Limits) => SQL | undefined): DeleteSome {
  return async (executor, limits, limit) => {
    const some = executor
      .select({ key })
      .from(table)
      .where(isOver(limits))
      .limit(limit)
      .for('update', { skipLocked: true });
    const gone = await executor.delete(table).where(inArray(key, some)).returning({ one: sql`1` });
    return gone.length;
  };
}

/**
 * Which news went to people who want none any more. That they want none stays with their account, or news would come
 * again.
 */
async function deleteOldNews(executor: Executor, { newsStopped }: Limits, limit: number): Promise<number> {
  const { rowCount } = await executor.execute(sql`
    delete from ${bulkEmailRecipients} where (bulk_email_id, user_id) in (
      select news.bulk_email_id, news.user_id from ${bulkEmailRecipients} news
      join ${users} person on person.id = news.user_id
      where person.news_stopped_at < ${newsStopped} and news.state not in ('waiting', 'queued')
      limit ${limit}
      for update of news skip locked)`);
  return rowCount ?? 0;
}
