import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { releaseCycles, releaseInvitations } from '#server/schema/release.tables.ts';
import { lastReminderToAskingDays } from '#shared/rules/inactivity.ts';

/** A mailbox that is held for the operator, and the accounts for whose early release it has confirmed. */
export type HeldMailbox = { mailbox: string; accounts: string[] };

/**
 * Whether the mailbox of this contact is held, by an answer that it gave about anybody. The column is named with its table:
 * in a statement about one table drizzle leaves that out, and it would be read as this question's own.
 */
export function isMailboxHeld(contactId: SQL): SQL<boolean> {
  return sql<boolean>`exists (
    select 1 from ${releaseInvitations} answered join ${trustedContacts} holder on holder.id = answered.contact_id
    where answered.hold = 'held' and holder.email = (select email from ${trustedContacts} where id = ${contactId}))`;
}

/** Whether a mailbox is held, by an answer that it gave about anybody. */
export async function isHeld(executor: Executor, contactId: string): Promise<boolean> {
  const { rows } = await executor.execute<{ held: boolean }>(
    sql`select ${isMailboxHeld(sql`${contactId}::uuid`)} as held`,
  );
  return rows[0]?.held ?? false;
}

/** The accounts that the breaker counted on this day (UTC), by address. */
export async function listCounted(executor: Executor, day: string): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ email: users.email })
    .from(releaseCycles)
    .innerJoin(users, sql`${users.id} = ${releaseCycles.userId}`)
    .where(sql`${releaseCycles.countedOnDay} = ${day}`)
    .orderBy(users.email);
  return rows.map(({ email }) => email);
}

/** Owners whom silence alone will move on together, unless they are heard of: how they are called, and who they are. */
export type Foreseen = { day: string; accounts: string[]; userIds: string[] };

/**
 * The days (UTC) on which more than `limit` owners had their last reminder and have something to send, the first before
 * the others. `day` is the one on which their contacts would be asked. Who was let go on beforehand, or stopped by name,
 * is not counted.
 */
export async function listForeseen(executor: Executor, limit: number): Promise<Foreseen[]> {
  const { rows } = await executor.execute<Foreseen>(sql`
    select to_char((cycle.last_reminder_at at time zone 'UTC')::date + ${lastReminderToAskingDays}::int, 'YYYY-MM-DD') as day,
      array_agg(owner.email order by owner.email) as accounts, array_agg(owner.id order by owner.id) as "userIds"
    from ${releaseCycles} cycle join ${users} owner on owner.id = cycle.user_id
    where cycle.state = 'warned' and cycle.closed_at is null and cycle.last_reminder_at is not null and not cycle.is_expected
      and owner.release_frozen_at is null
      and exists (select 1 from ${messages} letter where letter.user_id = owner.id and letter.status = 'ready')
    group by 1 having count(*) > ${limit}::int order by 1`);
  return rows;
}

/** Whose silence the operator expects goes on, whatever the breaker counts. Their owners' rows are locked. */
export async function expectSilences(tx: Executor, userIds: readonly string[]): Promise<void> {
  await tx
    .update(releaseCycles)
    .set({ isExpected: true, version: sql`${releaseCycles.version} + 1` })
    .where(
      and(
        inArray(releaseCycles.userId, [...userIds]),
        eq(releaseCycles.state, 'warned'),
        isNull(releaseCycles.closedAt),
      ),
    );
}

/** When early requests of this owner have opened since, oldest first. */
export async function listEarlyRequests(tx: Executor, userId: string, since: Date): Promise<Date[]> {
  const rows = await tx
    .select({ at: releaseCycles.earlyAt })
    .from(releaseCycles)
    .where(sql`${releaseCycles.userId} = ${userId} and ${releaseCycles.earlyAt} > ${since.toISOString()}::timestamptz`)
    .orderBy(releaseCycles.earlyAt);
  return rows.flatMap(({ at }) => at ?? []);
}

const earlyYes = (mailbox: SQL) => sql`from ${releaseInvitations} answer
  join ${trustedContacts} contact on contact.id = answer.contact_id
  join ${releaseCycles} cycle on cycle.id = answer.cycle_id and cycle.cause <> 'silence'
  join ${users} owner on owner.id = cycle.user_id
  where answer.decision = 'confirmed' and ${mailbox}`;

/** The accounts whose early release this mailbox has confirmed since, but for what the operator has let go on. */
export async function listConfirmedBy(tx: Executor, mailbox: string, since: Date): Promise<string[]> {
  const { rows } = await tx.execute<{ email: string }>(sql`
    select distinct owner.email ${earlyYes(sql`contact.email = ${mailbox}`)}
    and answer.decided_at > ${since.toISOString()}::timestamptz and answer.hold is distinct from 'let_go' order by 1`);
  return rows.map(({ email }) => email);
}

/**
 * Holds a mailbox by every answer of it that counts, so that it stays held when one of these contacts is removed or an
 * account goes. No owner of the others is locked: an answer that somebody has in hand just now is left out.
 */
export async function holdMailbox(tx: Executor, mailbox: string, since: Date): Promise<void> {
  await tx.execute(sql`
    with counted as (select answer.id ${earlyYes(sql`contact.email = ${mailbox}`)}
      and answer.hold is null and answer.decided_at > ${since.toISOString()}::timestamptz for update of answer skip locked)
    update ${releaseInvitations} set hold = 'held' from counted where ${releaseInvitations.id} = counted.id`);
}

export async function listHeldMailboxes(executor: Executor): Promise<HeldMailbox[]> {
  const { rows } = await executor.execute<HeldMailbox>(sql`
    select contact.email as mailbox, array_agg(distinct owner.email order by owner.email) as accounts
    ${earlyYes(isMailboxHeld(sql`contact.id`))} and answer.hold is distinct from 'let_go'
    and (cycle.closed_at is null or answer.hold = 'held') group by 1 order by 1`);
  return rows;
}

/** Lets what this mailbox has confirmed go on; false where it was not held. */
export async function letMailboxGo(tx: Executor, mailbox: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    with held as (select answer.id ${earlyYes(sql`contact.email = ${mailbox} and ${isMailboxHeld(sql`contact.id`)}`)})
    update ${releaseInvitations} set hold = 'let_go' from held where ${releaseInvitations.id} = held.id
    returning 1`);
  return rows.length > 0;
}
