import { sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { releaseAsks, releaseNotices } from '#server/schema/release.tables.ts';

/** Recipients whose mail was refused permanently. */
export type Refusals = { owner: boolean; contactIds: string[]; letter: boolean };

const userId = sql`${sql.placeholder('userId')}::uuid`;

/** Mail that this mailbox refused: tried without success, or bounced after its acceptance. */
const wasInVain = sql.raw(`(notice.email_outcome = 'tried' or notice.has_email_bounced)`);

/**
 * The newest ended mail to an owner or contact counts, because a later acceptance shows a working mailbox. Mails to a
 * former address and replaced texts are left out. An owner sees a refusal for as long as a step depends on it, and some
 * days longer.
 */
const refusals = statement<{ owner: boolean; contact_ids: string[]; letter: boolean }>(sql`
    select coalesce((
      select ${wasInVain} and (notice.closed_at is null or notice.email_at > ${sql.placeholder('since')}::timestamptz) from ${releaseNotices} notice
      where notice.user_id = ${userId} and notice.contact_id is null and notice.email_outcome in ('accepted', 'tried')
      order by notice.email_at desc, notice.number desc limit 1
    ), false) as owner, array(
      select contact.id from ${trustedContacts} contact cross join lateral (
        select ${wasInVain} as is_refused, notice.email_at from ${releaseAsks} asked
        join ${releaseNotices} notice on notice.user_id = asked.user_id and notice.number = asked.notice
        where asked.request_id = ${sql.placeholder('requestId')}::uuid and asked.contact_id = contact.id
          and notice.email_outcome in ('accepted', 'tried')
        order by notice.number desc limit 1
      ) newest
      where contact.user_id = ${userId} and contact.is_active
        and newest.is_refused and contact.updated_at <= newest.email_at
    ) as contact_ids, exists (
      select 1 from ${messageDeliveries} refused join ${messages} letter on letter.id = refused.message_id
      where refused.user_id = ${userId} and refused.status = 'bounced'
        and letter.status = 'ready' and letter.updated_at <= refused.ended_at
    ) as letter`);

/**
 * @param requestId the open request, or else the last one: outside of requests no contact was asked.
 * @param since start of reported refusals of the owner's own mailbox.
 */
export async function findRefusals(
  executor: Executor,
  about: { userId: string; requestId: string | null; since: Date },
): Promise<Refusals> {
  const [row] = await refusals(executor, { ...about, since: about.since.toISOString() });
  return { owner: row?.owner ?? false, contactIds: row?.contact_ids ?? [], letter: row?.letter ?? false };
}
