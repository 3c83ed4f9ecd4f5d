import { and, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from '#server/platform/db/database.ts';
import { checkins, loginAttempts, notMeLinks, sessions, users } from '#server/schema/accounts.tables.ts';
import { payments } from '#server/schema/billing.tables.ts';
import { bulkEmailRecipients } from '#server/schema/bulk-emails.tables.ts';
import { complaints } from '#server/schema/complaints.tables.ts';
import { identityLinks } from '#server/schema/identities.tables.ts';
import { messageEnclosures } from '#server/schema/messages.tables.ts';
import { notifications, smsNotifications } from '#server/schema/notifications.tables.ts';
import { recentlyDeleted } from '#server/schema/recently-deleted.tables.ts';
import { checkinLinks, releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';

/** Whether a silence of this owner is followed up, or contacts are asked about them. */
function isOpenFor(owner: PgColumn): SQL {
  return sql`exists (
    select from ${releaseSilences} where ${releaseSilences.userId} = ${owner} and ${releaseSilences.closedAt} is null
  ) or exists (
    select from ${releaseRequests} where ${releaseRequests.userId} = ${owner} and ${releaseRequests.closedAt} is null
  )`;
}

/** Deletes at most `limit` rows whose time is over, leaving those another worker has. Gives how many. */
type DeleteSome = (executor: Executor, limits: Limits, limit: number) => Promise<number>;

/** What each kind of record is kept until; older ones go. */
export type Limits = {
  security: Date;
  payments: Date;
  complaints: Date;
  mails: Date;
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
const mayBeAnswered = sql`(${isOpenFor(smsNotifications.userId)}) and not exists (
  select from ${releaseRequests} where ${releaseRequests.userId} = ${smsNotifications.userId}
    and ${releaseRequests.closedAt} is null and ${releaseRequests.doneAt} is not null
)`;

/**
 * Everything that goes without being told of: records of the service and not what anybody wrote. Each kind by itself, for
 * one that has many says nothing of the others.
 */
export const expiring = {
  check_ins: deleteUntil(checkins, checkins.id, checkins.createdAt, ({ security }) => security),
  sessions: deleteUntil(sessions, sessions.sid, sessions.expire, ({ now }) => now),
  sign_in_tries: deleteUntil(loginAttempts, loginAttempts.emailHash, loginAttempts.lastTriedAt, (at) => at.security),
  check_in_links: deleteUntil(checkinLinks, checkinLinks.tokenHash, checkinLinks.expiresAt, ({ now }) => now),
  not_me_links: deleteUntil(notMeLinks, notMeLinks.tokenHash, notMeLinks.expiresAt, ({ now }) => now),
  identity_links: deleteUntil(identityLinks, identityLinks.notMeHash, identityLinks.expiresAt, ({ now }) => now),
  texts: deleteUntil(smsNotifications, smsNotifications.id, smsNotifications.createdAt, ({ texts }) => texts, {
    unless: mayBeAnswered,
  }),
  payments: deleteUntil(payments, payments.id, payments.paidAt, (limits) => limits.payments),
  // One that is open waits for its answer, however long.
  complaints: deleteUntil(complaints, complaints.id, complaints.closedAt, (limits) => limits.complaints),
  recently_deleted: deleteUntil(
    recentlyDeleted,
    recentlyDeleted.id,
    recentlyDeleted.deletedAt,
    ({ deleted }) => deleted,
  ),
  staged_enclosures: deleteUntil(
    messageEnclosures,
    messageEnclosures.id,
    messageEnclosures.createdAt,
    ({ staged }) => staged,
    {
      unless: sql`${messageEnclosures.staging} is null`,
    },
  ),
  // What left for a silence or a request that is open is matched with what becomes of it, however long that takes.
  mails: deleteUntil(notifications, notifications.id, notifications.endedAt, ({ mails }) => mails, {
    unless: isOpenFor(notifications.userId),
  }),
  news: deleteOldNews,
  former_phones: forgetFormerPhones,
} as const satisfies Record<string, DeleteSome>;

/**
 * The oldest of a table first, by the index of its time: without an order the first rows of the table would be looked through again
 * for each batch.
 */
function deleteUntil(
  table: PgTable,
  key: PgColumn,
  time: PgColumn,
  until: (limits: Limits) => Date,
  { unless }: { unless?: SQL } = {},
): DeleteSome {
  return async (executor, limits, limit) => {
    const some = executor
      .select({ key })
      .from(table)
      .where(and(lt(time, until(limits)), unless && sql`not (${unless})`))
      .orderBy(time)
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

/** A former number is told of a release for some days, and then nothing keeps it. */
async function forgetFormerPhones(executor: Executor, { now }: Limits, limit: number): Promise<number> {
  const some = executor
    .select({ id: users.id })
    .from(users)
    .where(lt(users.formerPhoneUntil, now))
    .limit(limit)
    .for('update', { skipLocked: true });
  const { rowCount } = await executor
    .update(users)
    .set({ formerPhone: null, formerPhoneUntil: null })
    .where(inArray(users.id, some));
  return rowCount ?? 0;
}
