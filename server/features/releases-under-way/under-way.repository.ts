import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import type { UnderWayStage } from '#shared/contract/operator/releases.ts';

type Page = { stage: UnderWayStage; after: string | undefined; limit: number };

/** Returns the ids of accounts with a release in progress, in order of id. Each part of the union reads `limit` entries of its own index. */
export async function listUnderWay(executor: Executor, { stage, after, limit }: Page): Promise<string[]> {
  const comesLater = after === undefined ? sql`true` : sql`user_id > ${after}::uuid`;
  const { rows } = await executor.execute<{ user_id: string }>(parts[stage](comesLater, limit));
  return rows.map((row) => row.user_id);
}

const parts: Record<UnderWayStage, (comesLater: SQL, limit: number) => SQL> = {
  asked: (comesLater, limit) => sql`
    select user_id from (
      (select user_id from release_requests where closed_at is null and done_at is null and ${comesLater}
        order by user_id limit ${limit})
      union
      (select distinct user_id from message_deliveries where status = 'waiting' and ${comesLater}
        order by user_id limit ${limit})
    ) found order by user_id limit ${limit}`,
  reminded: (comesLater, limit) => sql`
    select user_id from release_silences where closed_at is null and ${comesLater}
      and not exists (select 1 from release_requests
        where release_requests.user_id = release_silences.user_id and release_requests.closed_at is null)
    order by user_id limit ${limit}`,
};

/** Counts mails of these accounts that were tried and not accepted yet. */
export async function countFailing(executor: Executor, userIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await executor.execute<{ user_id: string; mails: number }>(sql`
    select user_id, count(*)::int as mails from notifications
    where status = 'pending' and attempts > 0 and channel = 'email' and accepted_at is null
      and user_id = any(${sql.param([...userIds])}::uuid[]) group by user_id`);
  return new Map(rows.map((row) => [row.user_id, row.mails]));
}
