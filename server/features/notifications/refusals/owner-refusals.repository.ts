import { sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';

/** A mail is tried for 30 days, so a recently refused one was written within this time. */
const writtenBefore = sql.raw(`interval '40 days'`);
const mail = sql`notifications mail where mail.user_id = ${sql.placeholder('userId')}::uuid
  and mail.mailbox_key = ${sql.placeholder('mailboxKey')} and mail.created_at > ${sql.placeholder('since')}::timestamptz - ${writtenBefore}`;

/** Mail about an account to its owner's own mailbox. A mail that was finally accepted does not count as refused. */
const refused = statement<{ was_refused: boolean; is_in_trouble: boolean }>(sql`
  select exists (
      select 1 from ${mail} and mail.accepted_at is null and (
        greatest(mail.refused_at, mail.troubled_at, mail.bounced_at) > ${sql.placeholder('since')}::timestamptz
        or mail.status in ('bounced', 'dead') and mail.ended_at > ${sql.placeholder('since')}::timestamptz)
    ) as was_refused,
    coalesce((
      select mail.accepted_at is null and mail.troubled_at > ${sql.placeholder('since')}::timestamptz
      from ${mail} and mail.last_attempt_at is not null order by mail.last_attempt_at desc, mail.id desc limit 1
    ), false) as is_in_trouble`);

/** `wasRefused`: at least one mail was refused. `isInTrouble`: the newest was, for a reason other than the mailbox. */
export type OwnerRefusals = { wasRefused: boolean; isInTrouble: boolean };

/** Results of mail about an account since a time, to its owner's mailbox. */
export async function findOwnerRefusals(
  executor: Executor,
  about: { userId: string; mailboxKey: string; since: Date },
): Promise<OwnerRefusals> {
  const [row] = await refused(executor, { ...about, since: about.since.toISOString() });
  return { wasRefused: row?.was_refused ?? false, isInTrouble: row?.is_in_trouble ?? false };
}
