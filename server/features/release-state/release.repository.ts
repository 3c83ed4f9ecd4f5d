import { and, desc, eq, getTableColumns, gt, inArray, isNotNull, isNull, max, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared, statement } from '#server/platform/db/prepared.ts';
import { type RecordSet, recordSet } from '#server/platform/db/record-set.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import {
  releaseAnswers,
  releaseAsks,
  releaseNotices,
  releaseRequests,
  releaseSilences,
} from '#server/schema/release.tables.ts';
import type { AnswerRow, AskRow, NoticeRow, RequestRow, SilenceRow } from './release.rows.ts';

const ofOwners = (
  column: typeof releaseSilences.userId | typeof releaseRequests.userId | typeof releaseNotices.userId,
) => sql`${column} = any(${sql.placeholder('userIds')}::uuid[])`;

const openSilences = prepared((executor) =>
  executor
    .select()
    .from(releaseSilences)
    .where(and(ofOwners(releaseSilences.userId), isNull(releaseSilences.closedAt)))
    .prepare('release_open_silences'),
);

const requestsThatCount = prepared((executor) =>
  executor
    .select()
    .from(releaseRequests)
    .where(
      sql`${ofOwners(releaseRequests.userId)} and (${releaseRequests.closedAt} is null or ${releaseRequests.askedBy} is not null
        and (${releaseRequests.openedAt} > ${sql.placeholder('openedAfter')}::timestamptz or ${releaseRequests.stoppedAt} is not null))`,
    )
    .orderBy(releaseRequests.openedAt)
    .prepare('release_requests_that_count'),
);

const noticesThatCount = prepared((executor) =>
  executor
    .select()
    .from(releaseNotices)
    .where(
      sql`${ofOwners(releaseNotices.userId)} and (${releaseNotices.closedAt} is null
        or ${releaseNotices.writtenAt} > ${sql.placeholder('writtenAfter')}::timestamptz
        or ${releaseNotices.number} = ${sql.placeholder('number')}::int)`,
    )
    .orderBy(releaseNotices.number)
    .prepare('release_notices_that_count'),
);

/**
 * The greatest number that a notice of each owner ever had. The rows of a contact's notices go with the contact; the mails
 * that carried them stay, so their numbers are never given to others.
 */
const newestNumbers = statement<{ user_id: string; number: number | null }>(sql`select owner.id as user_id, greatest(
      (select max(number) from release_notices where user_id = owner.id),
      (select max(notice) from notifications where user_id = owner.id and notice is not null)
    )::int as number
    from unnest(${sql.placeholder('userIds')}::uuid[]) as owner (id)`);

const asksOfRequests = prepared((executor) =>
  executor
    .select()
    .from(releaseAsks)
    .where(sql`${releaseAsks.requestId} = any(${sql.placeholder('requestIds')}::uuid[])`)
    .orderBy(releaseAsks.notice)
    .prepare('release_asks_of_requests'),
);

const answersOfRequests = prepared((executor) =>
  executor
    .select()
    .from(releaseAnswers)
    .where(sql`${releaseAnswers.requestId} = any(${sql.placeholder('requestIds')}::uuid[])`)
    .orderBy(releaseAnswers.number)
    .prepare('release_answers_of_requests'),
);

/** Selects the rows of these owners' worlds. */
type Which = { userIds: readonly string[]; openedAfter: Date; writtenAfter: Date; notice: number };

/** The rows of owners as a decision needs them; one statement for each kind, however many owners there are. */
export async function readRows(executor: Executor, { userIds, openedAfter, writtenAfter, notice }: Which) {
  const silences = await openSilences(executor).execute({ userIds });
  const requests = await requestsThatCount(executor).execute({ userIds, openedAfter });
  const notices = await noticesThatCount(executor).execute({ userIds, writtenAfter, number: notice });
  const newest = await newestNumbers(executor, { userIds });
  const requestIds = requests.filter(({ closedAt }) => closedAt === null).map(({ id }) => id);
  const asks = requestIds.length > 0 ? await asksOfRequests(executor).execute({ requestIds }) : [];
  const answers = requestIds.length > 0 ? await answersOfRequests(executor).execute({ requestIds }) : [];
  return {
    silences: new Map(silences.map((row) => [row.userId, row])),
    requests: Map.groupBy(requests, ({ userId }) => userId),
    notices: Map.groupBy(notices, ({ userId }) => userId),
    newest: new Map(newest.map(({ user_id, number }) => [user_id, number ?? 0])),
    asks: Map.groupBy(asks, ({ requestId }) => requestId),
    answers: Map.groupBy(answers, ({ requestId }) => requestId),
  };
}

/** Every ask and answer of a request, oldest first. */
export async function listAsksAndAnswers(
  executor: Executor,
  requestId: string,
): Promise<{ asks: AskRow[]; answers: AnswerRow[] }> {
  const requestIds = [requestId];
  const asks = await asksOfRequests(executor).execute({ requestIds });
  return { asks, answers: await answersOfRequests(executor).execute({ requestIds }) };
}

/** The number of the next release of an owner. A number is never given twice: links and Message-IDs derive from it. */
export async function nextReleaseNumber(executor: Executor, userId: string): Promise<number> {
  const [row] = await executor
    .select({ last: max(releaseRequests.releaseNumber) })
    .from(releaseRequests)
    .where(eq(releaseRequests.userId, userId));
  return (row?.last ?? 0) + 1;
}

/** The contacts whom mails about the letters of a release have reached. */
export async function heardOf(
  executor: Executor,
  requestIds: readonly string[],
  kinds: readonly string[],
): Promise<Map<string, string[]>> {
  if (requestIds.length === 0) return new Map();
  const rows = await executor
    .selectDistinct({ requestId: notifications.subjectId, contactId: notifications.contactId })
    .from(notifications)
    .where(
      and(
        inArray(notifications.subjectId, [...requestIds]),
        inArray(notifications.kind, [...kinds]),
        eq(notifications.status, 'accepted'),
      ),
    );
  const grouped = Map.groupBy(rows, ({ requestId }) => requestId ?? '');
  return new Map([...grouped].map(([id, all]) => [id, all.flatMap(({ contactId }) => contactId ?? [])]));
}

function upsert<TRow>(set: RecordSet<TRow>, parts: { table: string; key: string }) {
  const write = statement(
    sql`insert into ${sql.identifier(parts.table)} (${set.names}) select ${set.names} from ${set.source}
      on conflict (${sql.raw(parts.key)}) do update set ${set.overwritten}`,
  );
  return async (tx: Executor, rows: readonly TRow[]): Promise<void> => {
    if (rows.length > 0) await write(tx, { rows: set.encode(rows) });
  };
}

/** Every column: a fact that is decided on and not written would be forgotten without a word. */
const keysOf = <T extends object>(columns: T) => Object.keys(columns) as (keyof T & string)[];

export const writeSilences = upsert<SilenceRow>(recordSet(releaseSilences, keysOf(getTableColumns(releaseSilences))), {
  table: 'release_silences',
  key: 'id',
});
export const writeRequests = upsert<RequestRow>(recordSet(releaseRequests, keysOf(getTableColumns(releaseRequests))), {
  table: 'release_requests',
  key: 'id',
});
export const writeNotices = upsert<NoticeRow>(recordSet(releaseNotices, keysOf(getTableColumns(releaseNotices))), {
  table: 'release_notices',
  key: 'user_id, number',
});
export const writeAsks = upsert<AskRow>(recordSet(releaseAsks, keysOf(getTableColumns(releaseAsks))), {
  table: 'release_asks',
  key: 'user_id, notice',
});
export const writeAnswers = upsert<AnswerRow>(recordSet(releaseAnswers, keysOf(getTableColumns(releaseAnswers))), {
  table: 'release_answers',
  key: 'id',
});

export async function findOpenRequest(executor: Executor, userId: string): Promise<RequestRow | null> {
  const [row] = await executor
    .select()
    .from(releaseRequests)
    .where(and(eq(releaseRequests.userId, userId), isNull(releaseRequests.closedAt)));
  return row ?? null;
}

/** The open request, or else the last one. */
export async function findLatestRequest(executor: Executor, userId: string): Promise<RequestRow | null> {
  const [row] = await executor
    .select()
    .from(releaseRequests)
    .where(eq(releaseRequests.userId, userId))
    .orderBy(sql`${releaseRequests.closedAt} is not null`, desc(releaseRequests.openedAt))
    .limit(1);
  return row ?? null;
}

export async function findRequest(executor: Executor, id: string): Promise<RequestRow | null> {
  const [row] = await executor.select().from(releaseRequests).where(eq(releaseRequests.id, id));
  return row ?? null;
}

/** The link behind a token and the request that it belongs to, alive or not. */
export async function findAsk(
  executor: Executor,
  tokenHash: string,
): Promise<{ ask: AskRow; request: RequestRow } | null> {
  const [row] = await executor
    .select({ ask: releaseAsks, request: releaseRequests })
    .from(releaseAsks)
    .innerJoin(releaseRequests, eq(releaseRequests.id, releaseAsks.requestId))
    .where(eq(releaseAsks.tokenHash, tokenHash));
  return row ?? null;
}

/** True if the link in this notice to a contact takes an answer, and the contact has given none by it. */
export async function isAskOpen(
  executor: Executor,
  { userId, contactId, notice }: { userId: string; contactId: string; notice: number },
): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    select 1 from release_asks ask join release_requests request on request.id = ask.request_id
    where ask.user_id = ${userId} and ask.notice = ${notice} and ask.contact_id = ${contactId} and not ask.is_dead
      and request.closed_at is null and request.released_at is null
      and not exists (select 1 from release_answers answer
        where answer.request_id = request.id and answer.contact_id = ${contactId} and not answer.is_void)`);
  return rows.length > 0;
}

/** On which days (UTC) mails with these notices of an owner came back because the mailbox is closed. */
export async function bouncedDaysOf(executor: Executor, userId: string, notices: readonly number[]): Promise<string[]> {
  const day = sql<string>`(${notifications.bouncedAt} at time zone 'UTC')::date::text`;
  const rows = await executor
    .selectDistinct({ day })
    .from(notifications)
    .where(
      and(
        eq(notifications.userId, userId),
        inArray(notifications.notice, [...notices]),
        eq(notifications.channel, 'email'),
        isNotNull(notifications.bouncedAt),
        gt(notifications.refusals, 0),
      ),
    );
  return rows.map((row) => row.day);
}

/** Reports that speak of one mailbox, since it last kept a mail of ours. */
export type ReportsOfMailbox = { tries: number; sinceHealthyMs: number | null };

/**
 * Counts reports about the mailbox of a mail, such as a full one, one per notice. A mail that an earlier try delivered
 * there, without a report since, restarts the count. Servers report out of order by a day at most.
 */
export async function reportsOfMailbox(executor: Executor, id: string): Promise<ReportsOfMailbox> {
  const { rows } = await executor.execute<{ tries: number; since: string | null }>(sql`
    with this as (select * from notifications where id = ${id}),
    kept as (
      select max(other.accepted_at) as at from notifications other, this
      where other.domain_key = this.domain_key and other.mailbox_key = this.mailbox_key and other.id <> this.id
        and other.accepted_at < this.accepted_at - interval '1 day')
    select count(*)::int as tries, min(release_notices.written_healthy_ms)::text as since
    from this join notifications reported on reported.user_id = this.user_id and reported.notice is not null
        and reported.domain_key = this.domain_key and reported.mailbox_key = this.mailbox_key
      join release_notices on release_notices.user_id = reported.user_id and release_notices.number = reported.notice, kept
    where reported.id <> this.id and reported.bounced_at > coalesce(kept.at, '-infinity'::timestamptz)
      and reported.accepted_at is null and (reported.troubled_at is null or reported.troubled_at < reported.bounced_at)`);
  const [row] = rows;
  return { tries: row?.tries ?? 0, sinceHealthyMs: row?.since == null ? null : Number(row.since) };
}

/** Number of mails that carried this notice of an owner. */
export async function countMailsOfNotice(executor: Executor, userId: string, notice: number): Promise<number> {
  return executor.$count(
    notifications,
    and(eq(notifications.userId, userId), eq(notifications.notice, notice), eq(notifications.channel, 'email')),
  );
}
