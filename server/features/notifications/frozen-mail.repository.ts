import { and, eq, gt, isNull, lte, max, min, not, or, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { isFrozen } from '#server/schema/release.tables.ts';

/**
 * True if a message is frozen: it is of one of these kinds, and its owner or everything is frozen. An accepted message
 * has left already, and only its consequences are missing.
 */
export function isFrozenMail(kinds: SQL): SQL {
  return sql`(${notifications.kind} = any(${kinds}::text[]) and ${notifications.acceptedAt} is null
    and ${isFrozen(notifications.userId)})`;
}

/** A list as one value, for statements that are not prepared. */
export const asParameter = (kinds: readonly string[]): SQL => sql`${sql.param([...kinds])}`;

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
      where id in (select id from front) and ${isFrozenMail(sql`${sql.placeholder('kinds')}`)}
      order by id for update skip locked
    )
    update ${notifications} set is_on_hold = true
    from frozen where ${notifications.id} = frozen.id
    returning ${notifications.id}`);

/** Takes frozen messages out of the first `limit` due ones. Returns their number. */
export async function putFrozenOnHold(
  tx: Executor,
  of: { kinds: readonly string[]; at: Date; limit: number },
): Promise<number> {
  return (await putOnHold(tx, { ...of, kinds: [...of.kinds], at: of.at.toISOString() })).length;
}

const takenOffHold = statement<{ id: string }>(sql`
    with free as (
      select id from ${notifications}
      where ${isOpenOnHold} and not ${isFrozenMail(sql`${sql.placeholder('kinds')}`)}
      limit ${sql.placeholder('limit')} for update skip locked
    )
    update ${notifications} set is_on_hold = false
    from free where ${notifications.id} = free.id
    returning ${notifications.id}`);

/** Puts up to `limit` rows that are no longer frozen back into the queue. Returns their number. */
export async function takeOffHold(tx: Executor, of: { kinds: readonly string[]; limit: number }): Promise<number> {
  return (await takenOffHold(tx, { ...of, kinds: [...of.kinds] })).length;
}

const dueAgain = statement(sql`
    with waiting as (
      select id from ${notifications}
      where ${notifications.status} in ('pending', 'sending')
        and ${notifications.nextAttemptAt} <= ${sql.placeholder('at')}::timestamptz
        and ${notifications.acceptedAt} is null
        and ${notifications.kind} = any(${sql.placeholder('kinds')}::text[])
        and (${sql.placeholder('userId')}::uuid is null or ${notifications.userId} = ${sql.placeholder('userId')}::uuid)
      order by id for update skip locked
    )
    update ${notifications} set not_before = ${sql.placeholder('at')}::timestamptz, is_on_hold = false
    from waiting where ${notifications.id} = waiting.id`);

/** Makes due messages of these kinds due from now on, of one owner or of all (`null`), as if just written. */
export async function makeDueAgain(
  tx: Executor,
  { kinds, userId, at }: { kinds: readonly string[]; userId: string | null; at: Date },
): Promise<void> {
  await dueAgain(tx, { kinds: [...kinds], userId, at: at.toISOString() });
}

/** A refusal within this time after other mail was accepted is about its mailbox, and no trouble of all mail. */
const refusalsVouchedForMs = 12 * 60 * 60_000;

/**
 * The mail that has been due longest, and the time of the last acceptance. Leaves out mails that a mailbox refused or
 * that bounced, since a refusal counts only while mail is known to work. Leaves out mails that may not be sent now.
 */
export async function readMailFlow(
  executor: Executor,
  { now, frozenKinds }: { now: Date; frozenKinds: readonly string[] },
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
        not(isFrozenMail(asParameter(frozenKinds))),
      ),
    );
  return { dueSince: due?.since ?? null, lastAcceptedAt };
}
