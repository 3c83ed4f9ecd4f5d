import { and, eq, gt, isNull, lte, max, min, not, or, sql } from 'drizzle-orm';
import { frozenKinds } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { isFrozen } from '#server/schema/release.tables.ts';

const mayFreeze = sql`${notifications.kind} = any(${sql.param(frozenKinds)}::text[])`;

/**
 * True if a message is frozen: its kind waits, and its owner or everything is frozen. An accepted message has left
 * already, and only its consequences are missing.
 */
export const isFrozenMail = sql`(${mayFreeze} and ${notifications.acceptedAt} is null
    and ${isFrozen(notifications.userId)})`;

/** Open messages that claims read. */
export const isInLine = sql`(${notifications.status} in ('pending', 'sending') and not ${notifications.isOnHold})`;
const isOpenOnHold = sql`${notifications.status} in ('pending', 'sending') and ${notifications.isOnHold}`;

// Only the front of the queue: without frozen rows in it, this reads a fixed number of rows.
const putOnHold = statement<{ id: string }>(sql`
    with front as materialized (
      select id from ${notifications}
      where ${isInLine} and ${notifications.nextAttemptAt} <= ${sql.placeholder('at')}::timestamptz
      order by ${notifications.nextAttemptAt}, id limit ${sql.placeholder('limit')}
    ), frozen as (
      select id from ${notifications}
      where id in (select id from front) and ${isFrozenMail}
      order by id for update skip locked
    )
    update ${notifications} set is_on_hold = true
    from frozen where ${notifications.id} = frozen.id
    returning ${notifications.id}`);

/** Takes frozen messages out of the first `limit` due ones. Returns their number. */
export async function putFrozenOnHold(tx: Executor, { at, limit }: { at: Date; limit: number }): Promise<number> {
  return (await putOnHold(tx, { at: at.toISOString(), limit })).length;
}

const takenOffHold = statement<{ id: string }>(sql`
    with free as (
      select id from ${notifications}
      where ${isOpenOnHold} and not ${isFrozenMail}
      limit ${sql.placeholder('limit')} for update skip locked
    )
    update ${notifications} set is_on_hold = false
    from free where ${notifications.id} = free.id
    returning ${notifications.id}`);

/** Puts up to `limit` rows that are no longer frozen back into the queue. Returns their number. */
export async function takeOffHold(tx: Executor, { limit }: { limit: number }): Promise<number> {
  return (await takenOffHold(tx, { limit })).length;
}

const dueAgain = statement(sql`
    with waiting as (
      select id from ${notifications}
      where ${notifications.status} in ('pending', 'sending')
        and ${notifications.nextAttemptAt} <= ${sql.placeholder('at')}::timestamptz
        and ${notifications.acceptedAt} is null
        and ${mayFreeze}
        and (${sql.placeholder('userId')}::uuid is null or ${notifications.userId} = ${sql.placeholder('userId')}::uuid)
      order by id for update skip locked
    )
    update ${notifications} set not_before = ${sql.placeholder('at')}::timestamptz, is_on_hold = false
    from waiting where ${notifications.id} = waiting.id`);

/** Makes due messages that waited due from now on, of one owner or of all (`null`), as if just written. */
export async function makeDueAgain(tx: Executor, { userId, at }: { userId: string | null; at: Date }): Promise<void> {
  await dueAgain(tx, { userId, at: at.toISOString() });
}

/** A refusal within this time after other mail was accepted is about its mailbox, and no trouble of all mail. */
const refusalsVouchedForMs = 12 * 60 * 60_000;

/**
 * The mail that has been due longest, and the time of the last acceptance. Leaves out mails that a mailbox refused or
 * that bounced, since a refusal counts only while mail is known to work. Leaves out mails that may not be sent now.
 */
export async function readMailFlow(
  executor: Executor,
  { now }: { now: Date },
): Promise<{ dueSince: Date | null; lastAcceptedAt: Date | null }> {
  const isEmail = eq(notifications.channel, 'email');
  const [accepted] = await executor
    .select({ at: max(notifications.acceptedAt) })
    .from(notifications)
    .where(isEmail);
  const lastAcceptedAt = accepted?.at ?? null;
  const vouchesUntil = new Date((lastAcceptedAt?.getTime() ?? 0) + refusalsVouchedForMs);
  const [due] = await executor
    .select({ since: min(notifications.notBefore) })
    .from(notifications)
    .where(
      and(
        isEmail,
        isInLine,
        lte(notifications.notBefore, now),
        sql`${notifications.acceptedAt} is null`,
        eq(notifications.refusals, 0),
        or(isNull(notifications.refusedAt), gt(notifications.refusedAt, vouchesUntil)),
        isNull(notifications.bouncedAt),
        not(isFrozenMail),
      ),
    );
  return { dueSince: due?.since ?? null, lastAcceptedAt };
}
