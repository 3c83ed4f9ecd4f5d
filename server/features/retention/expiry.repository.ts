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

/** True if a silence or a request of this owner is open. */
function isOpenFor(owner: PgColumn): SQL {
  return sql`exists (
    select from ${releaseSilences} where ${releaseSilences.userId} = ${owner} and ${releaseSilences.closedAt} is null
  ) or exists (
    select from ${releaseRequests} where ${releaseRequests.userId} = ${owner} and ${releaseRequests.closedAt} is null
  )`;
}

/** Deletes at most `limit` expired rows that no other worker has locked. Returns their number. */
type DeleteSome = (executor: Executor, limits: Limits, limit: number) => Promise<number>;

/** Records from before these times are deleted. */
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

/** Texts identify the owner of a number that answers "yes", so they are kept while a silence or request is open. */
const mayBeAnswered = sql`(${isOpenFor(smsNotifications.userId)}) and not exists (
  select from ${releaseRequests} where ${releaseRequests.userId} = ${smsNotifications.userId}
    and ${releaseRequests.closedAt} is null and ${releaseRequests.doneAt} is not null
)`;

/** Records of the service, which are deleted without a notice. Each kind is deleted in batches of its own. */
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
  // An open complaint has no `closedAt`, so it stays.
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
  // Outcomes of an open silence or request are matched with its mails, so these stay.
  mails: deleteUntil(notifications, notifications.id, notifications.endedAt, ({ mails }) => mails, {
    unless: isOpenFor(notifications.userId),
  }),
  news: deleteOldNews,
  former_phones: forgetFormerPhones,
} as const satisfies Record<string, DeleteSome>;

/** Deletes the oldest rows first, by the index on `time`. Without an order each batch would scan the same first rows again. */
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

/** Deletes the record of news sent to people who stopped news. Their account keeps the wish for none. */
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

/** Deletes former phone numbers after the days in which they are notified of early requests. */
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
