import { eq, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { checkinLinks, releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';

export type CheckInLinkRow = typeof checkinLinks.$inferSelect;

const newLinks = recordSet(checkinLinks, ['tokenHash', 'userId', 'createdAt', 'expiresAt']);

const linksInserted = statement(
  sql`insert into checkin_links (${newLinks.names}) select ${newLinks.names} from ${newLinks.source}`,
);

export async function insertCheckInLinks(tx: Executor, rows: readonly CheckInLinkRow[]): Promise<void> {
  if (rows.length > 0) await linksInserted(tx, { rows: newLinks.encode(rows) });
}

export async function findCheckInLink(executor: Executor, tokenHash: string): Promise<CheckInLinkRow | null> {
  const [row] = await executor.select().from(checkinLinks).where(eq(checkinLinks.tokenHash, tokenHash));
  return row ?? null;
}

/** True if this owner has an open silence from its first reminder on, an open request, or an open release. */
const somethingIsOpen = sql`(
  exists (
    select 1 from ${releaseSilences} where user_id = ${sql.placeholder('userId')}::uuid and closed_at is null
  ) or exists (
    select 1 from ${releaseRequests} where user_id = ${sql.placeholder('userId')}::uuid and closed_at is null
  ))`;

const activityNoted = statement<{ ended_links: number; is_open: boolean }>(sql`
    with ended as (
      update ${checkinLinks} set used_at = ${sql.placeholder('at')}::timestamptz
      where user_id = ${sql.placeholder('userId')}::uuid and used_at is null
      returning 1
    )
    select (select count(*)::int from ended) as ended_links, ${somethingIsOpen} as is_open`);

const releaseIsOpen = statement<{ is_open: boolean }>(sql`select ${somethingIsOpen} as is_open`);

const someLettersAreOut = sql`exists (
    select 1 from ${releaseRequests} join ${messageDeliveries} on ${messageDeliveries.requestId} = ${releaseRequests.id}
    where ${releaseRequests.userId} = ${sql.placeholder('userId')}::uuid and ${releaseRequests.closedAt} is null
      and ${messageDeliveries.status} in ('accepted', 'unopened')
  )`;

const lettersAreOut = statement<{ are_out: boolean }>(sql`select ${someLettersAreOut} as are_out`);

const openFound = statement<{ are_out: boolean; is_quiet: boolean }>(sql`
    select ${someLettersAreOut} as are_out, not (${somethingIsOpen} or exists (
      select 1 from ${checkinLinks} where user_id = ${sql.placeholder('userId')}::uuid and used_at is null
    )) as is_quiet`);

/**
 * Says whether letters are out, and whether activity would end nothing. Then no silence, request or release is open, and
 * no check-in link is unused. One statement, because every change by an owner runs it.
 */
export async function findOpen(tx: Executor, userId: string): Promise<{ areLettersOut: boolean; isQuiet: boolean }> {
  const [row] = await openFound(tx, { userId });
  return { areLettersOut: row?.are_out ?? false, isQuiet: row?.is_quiet ?? false };
}

/** True if letters of an open release have reached a recipient. A sign-in is then asked about. */
export async function hasLettersOut(executor: Executor, userId: string): Promise<boolean> {
  const [row] = await lettersAreOut(executor, { userId });
  return row?.are_out ?? false;
}

export async function isReleaseOpen(executor: Executor, userId: string): Promise<boolean> {
  const [row] = await releaseIsOpen(executor, { userId });
  return row?.is_open ?? false;
}

/** Ends the check-in links after activity. Returns their number, and whether a silence, request or release is open. */
export async function noteActivity(
  tx: Executor,
  userId: string,
  at: Date,
): Promise<{ endedLinks: number; isOpen: boolean }> {
  const [row] = await activityNoted(tx, { userId, at: at.toISOString() });
  return { endedLinks: row?.ended_links ?? 0, isOpen: row?.is_open ?? false };
}
