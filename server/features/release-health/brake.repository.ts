import { and, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { personColumn } from '#server/platform/db/mailbox-column.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { releaseAnswers, releaseNotices, releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';
import { personOf } from '#shared/rules/addresses/mailboxes.ts';
import { lastReminderToAskingDays } from '#shared/rules/inactivity.ts';

/** Mailbox under review, and the accounts for whose early release it has confirmed. */
export type ReviewedMailbox = { mailbox: string; accounts: string[] };

/**
 * True if the mailbox of this contact is under review, through any of its answers. The column is written with its
 * table, because drizzle leaves the table out in a statement about one table. The name would then mean a column of this
 * query.
 */
function isUnderReview(contactId: SQL): SQL<boolean> {
  return sql<boolean>`exists (
    select 1 from ${releaseAnswers} answered join ${trustedContacts} holder on holder.id = answered.contact_id
    where answered.hold = 'held' and ${personColumn(sql`holder.email`)} = (
      select ${personColumn(sql`named.email`)} from ${trustedContacts} named where named.id = ${contactId}))`;
}

/** True if a mailbox is under review, through any of its answers. */
export async function isContactUnderReview(executor: Executor, contactId: string): Promise<boolean> {
  const { rows } = await executor.execute<{ reviewed: boolean }>(
    sql`select ${isUnderReview(sql`${contactId}::uuid`)} as reviewed`,
  );
  return rows[0]?.reviewed ?? false;
}

/** Contacts of these owners whose mailbox is under review. */
export async function listContactsUnderReview(executor: Executor, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await executor
    .select({ id: trustedContacts.id })
    .from(trustedContacts)
    .where(and(inArray(trustedContacts.userId, [...userIds]), isUnderReview(sql`trusted_contacts.id`)));
  return new Set(rows.map(({ id }) => id));
}

/** Accounts that the breaker counted on this day (UTC), by address. */
export async function listCounted(executor: Executor, day: string): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ email: users.email })
    .from(releaseSilences)
    .innerJoin(users, sql`${users.id} = ${releaseSilences.userId}`)
    .where(sql`${releaseSilences.countedOnDay} = ${day}`)
    .orderBy(users.email);
  return rows.map(({ email }) => email);
}

/** Owners whom silence alone moves on that day, unless they are active before. */
export type Foreseen = { day: string; accounts: string[]; userIds: string[] };

/**
 * Days (UTC) on which contacts of more than `limit` owners would be asked, earliest first. Counts owners with an
 * accepted last reminder and a ready message or visible document. Owners whom the operator expected or froze by name
 * are not counted.
 */
export async function listForeseen(executor: Executor, limit: number): Promise<Foreseen[]> {
  const { rows } = await executor.execute<Foreseen>(sql`
    with warned as (
      select silence.user_id, least(case when notice.email_outcome <> 'withdrawn' then notice.email_at end,
        case when notice.text_outcome = 'accepted' then notice.text_at end) as at
      from ${releaseSilences} silence join ${releaseNotices} notice
        on notice.user_id = silence.user_id and notice.number = silence.last_notice
      where silence.closed_at is null and silence.last_notice is not null and not silence.is_expected
        and not exists (select 1 from ${releaseRequests} request
          where request.user_id = silence.user_id and request.closed_at is null and request.cause = 'silence')
    )
    select to_char((warned.at at time zone 'UTC')::date + ${lastReminderToAskingDays}::int, 'YYYY-MM-DD') as day,
      array_agg(owner.email order by owner.email) as accounts, array_agg(owner.id order by owner.id) as "userIds"
    from warned join ${users} owner on owner.id = warned.user_id
    where warned.at is not null and owner.release_frozen_at is null
      and (exists (select 1 from ${messages} letter where letter.user_id = owner.id and letter.status = 'ready')
        or exists (select 1 from ${documents} shown where shown.user_id = owner.id and shown.visible_to_trusted_contact))
    group by 1 having count(*) > ${limit}::int order by 1`);
  return rows;
}

/** Excludes silences that the operator expects from the breaker. The owners' rows are locked. */
export async function expectSilences(tx: Executor, userIds: readonly string[]): Promise<void> {
  await tx
    .update(releaseSilences)
    .set({ isExpected: true })
    .where(and(inArray(releaseSilences.userId, [...userIds]), isNull(releaseSilences.closedAt)));
}

/** True for contacts whose address is a spelling of this mailbox. */
const isOfMailbox = (address: string) => sql`${personColumn(sql`contact.email`)} = ${personOf(address)}`;

const earlyYes = (mailbox: SQL) => sql`from ${releaseAnswers} answer
  join ${trustedContacts} contact on contact.id = answer.contact_id
  join ${releaseRequests} request on request.id = answer.request_id and request.cause <> 'silence'
  join ${users} owner on owner.id = request.user_id
  where answer.says = 'yes' and ${mailbox}`;

/** Accounts whose early release this mailbox has confirmed since, without those that the operator has allowed. */
export async function listConfirmedBy(tx: Executor, mailbox: string, since: Date): Promise<string[]> {
  const { rows } = await tx.execute<{ email: string }>(sql`
    select distinct owner.email ${earlyYes(isOfMailbox(mailbox))}
    and answer.at > ${since.toISOString()}::timestamptz and answer.hold is distinct from 'let_go' order by 1`);
  return rows.map(({ email }) => email);
}

/**
 * Puts a mailbox under review, through every answer of it that counts, so that it stays so after a contact or an
 * account is removed. No row of other owners is locked: an answer that is being processed is left out.
 */
export async function reviewMailbox(tx: Executor, mailbox: string, since: Date): Promise<void> {
  await tx.execute(sql`
    with counted as (select answer.id ${earlyYes(isOfMailbox(mailbox))}
      and answer.hold is null and answer.at > ${since.toISOString()}::timestamptz for update of answer skip locked)
    update ${releaseAnswers} set hold = 'held' from counted where ${releaseAnswers.id} = counted.id`);
}

export async function listMailboxesUnderReview(executor: Executor): Promise<ReviewedMailbox[]> {
  const { rows } = await executor.execute<ReviewedMailbox>(sql`
    select min(contact.email) as mailbox, array_agg(distinct owner.email order by owner.email) as accounts
    ${earlyYes(isUnderReview(sql`contact.id`))} and answer.hold is distinct from 'let_go'
    and (request.closed_at is null or answer.hold = 'held')
    group by ${personColumn(sql`contact.email`)} order by 1`);
  return rows;
}

/** Ends the review of a mailbox, so that its confirmations count. False if it was not under review. */
export async function endMailboxReview(tx: Executor, mailbox: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    with reviewed as (select answer.id ${earlyYes(sql`${isOfMailbox(mailbox)} and ${isUnderReview(sql`contact.id`)}`)})
    update ${releaseAnswers} set hold = 'let_go' from reviewed where ${releaseAnswers.id} = reviewed.id
    returning 1`);
  return rows.length > 0;
}
