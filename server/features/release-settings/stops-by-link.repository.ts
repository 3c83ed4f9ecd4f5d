import { sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { checkins } from '#server/schema/accounts.tables.ts';
import { releaseAnswers, releaseRequests } from '#server/schema/release.tables.ts';

/** Ended by the very check-in that a link in a mail has brought, after as many contacts had confirmed as must. */
const stops = statement<{ was_stopped: boolean }>(sql`
    select exists (
      select 1 from ${releaseRequests} request
      join ${checkins} shown on shown.user_id = request.user_id and shown.created_at = request.closed_at
      where request.user_id = ${sql.placeholder('userId')}::uuid
        and request.closed_at > ${sql.placeholder('since')}::timestamptz and shown.type = 'email'
        and request.needed <= (
          select count(distinct answer.contact_id) from ${releaseAnswers} answer
          where answer.request_id = request.id and answer.says = 'yes' and not answer.is_void
        )
    ) as was_stopped`);

/** True if a link in a mail stopped a confirmed request since then. */
export async function wasStoppedByLink(executor: Executor, about: { userId: string; since: Date }): Promise<boolean> {
  const [row] = await stops(executor, { userId: about.userId, since: about.since.toISOString() });
  return row?.was_stopped ?? false;
}
