import { and, eq, getTableColumns, inArray, isNull, lte, notInArray, type SQLWrapper, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared, statement } from '#server/platform/db/prepared.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { isFrozenMail } from './frozen-mail.repository.ts';
import { type NotificationRow, openStatuses } from './notifications.repository.ts';

type EndStatus = 'bounced' | 'dead';

/**
 * Makes claimed messages due again after the answer to their claim was lost. Their lease ends at one of these
 * moments, and they have no permission to leave. The attempt stays counted, so that a worker with the old claim can send
 * nothing with it.
 */
export async function releaseClaims(
  executor: Executor,
  { leases, at, except }: { leases: readonly string[]; at: Date; except: readonly string[] },
): Promise<void> {
  const lost = executor.$with('lost').as(
    executor
      .select({ id: notifications.id })
      .from(notifications)
      .where(
        and(
          eq(notifications.status, 'sending'),
          inArray(
            notifications.nextAttemptAt,
            leases.map((lease) => new Date(lease)),
          ),
          isNull(notifications.acceptedAt),
          eq(notifications.isLeaving, false),
          notInArray(notifications.id, [...except]),
        ),
      )
      // A row that a worker is withdrawing belongs to it, so no statement waits for another.
      .for('update', { skipLocked: true }),
  );
  await executor
    .with(lost)
    .update(notifications)
    .set({ status: 'pending', nextAttemptAt: at, leaseUntil: null })
    .where(eq(notifications.id, sql`any(array(select id from lost))`));
}

const letLeaving = statement<{ id: string }>(sql`
    update ${notifications} set is_leaving = true
    where ${notifications.id} = ${sql.placeholder('id')}::uuid and ${notifications.attempts} = ${sql.placeholder('attempts')}::integer
      and ${notifications.status} = 'sending' and not ${isFrozenMail}
      and set_config('synchronous_commit', 'off', true) is not null
    returning ${notifications.id}`);

/**
 * True if the message may leave now: claimed by this attempt, and neither withdrawn nor stopped since. The answer is
 * stored, so that a later withdrawal knows that the message may still arrive. It need not survive a crash of the
 * database: then the same mail is sent again.
 */
export async function letLeave(
  executor: Executor,
  { id, attempts }: { id: string; attempts: number },
): Promise<boolean> {
  return (await letLeaving(executor, { id, attempts })).length > 0;
}

/**
 * Withdraws claimed messages of this kind and these subjects that are not accepted. Locks all open messages of this
 * kind and owner against claims until the end of the transaction. One statement, so that no message slips between the
 * two.
 */
export async function cancelTakenAndKeep(
  tx: Executor,
  { userId, kind, subjects, at }: { userId: string; kind: string; subjects: SQLWrapper; at: Date },
): Promise<void> {
  await tx.execute(sql`
    with kept as (
      select ${notifications.id}, ${notifications.status}, ${notifications.subjectId} from ${notifications}
      where ${notifications.userId} = ${userId}::uuid and ${notifications.kind} = ${kind}
        and ${notifications.status} in ('pending', 'sending') and ${notifications.acceptedAt} is null
      order by ${notifications.id} for update
    )
    update ${notifications} set status = 'cancelled', ended_at = ${at.toISOString()}::timestamptz, next_attempt_at = null, lease_until = null
    from kept
    where ${notifications.id} = kept.id and kept.status = 'sending' and kept.subject_id = any(array(${subjects}))`);
}

/** Returns a claim from which nothing has left, as if it had not been taken. */
export async function giveBack(executor: Executor, id: string, at: Date): Promise<void> {
  await executor
    .update(notifications)
    .set({
      status: 'pending',
      attempts: sql`${notifications.attempts} - 1`,
      nextAttemptAt: at,
      leaseUntil: null,
      isLeaving: false,
    })
    .where(eq(notifications.id, id));
}

/** Records that a withdrawn message did not arrive. */
export async function markNotLeft(executor: Executor, id: string): Promise<void> {
  await executor.update(notifications).set({ isLeaving: false }).where(eq(notifications.id, id));
}

/** Messages that were allowed to leave before a moment and were withdrawn, without an outcome: their worker is gone. */
export async function listLostDepartures(
  executor: Executor,
  { before, limit }: { before: Date; limit: number },
): Promise<NotificationRow[]> {
  return executor
    .select()
    .from(notifications)
    .where(
      and(
        sql`${notifications.status} = 'cancelled' and ${notifications.isLeaving}`,
        lte(notifications.lastAttemptAt, before),
      ),
    )
    .orderBy(notifications.lastAttemptAt)
    .limit(limit);
}

/**
 * Locks the owner's row, as every writing transaction does before its own rows, or two of them wait for each other.
 * The row is another feature's: it is locked and not read.
 */
export async function lockUser(executor: Executor, userId: string): Promise<void> {
  await userLocked(executor, { userId });
}

const userLocked = statement(sql`select from users where id = ${sql.placeholder('userId')}::uuid for update`);

/** Message without its payload, which recording an outcome does not need. */
export type TriedRow = Omit<NotificationRow, 'payload'>;

const rowLocked = prepared((executor) => {
  const { payload: _, ...columns } = getTableColumns(notifications);
  return executor
    .select(columns)
    .from(notifications)
    .where(eq(notifications.id, sql.placeholder('id')))
    .for('update')
    .prepare('notifications_locked');
});

export async function lockNotification(executor: Executor, id: string): Promise<TriedRow | undefined> {
  const [row] = await rowLocked(executor).execute({ id });
  return row;
}

const rowAccepted = statement<{ id: string }>(sql`
    update ${notifications} set status = 'accepted', ended_at = ${sql.placeholder('at')}::timestamptz,
      accepted_at = ${sql.placeholder('at')}::timestamptz, last_reply_code = null,
      provider_id = ${sql.placeholder('providerId')}::text, next_attempt_at = null, lease_until = null, is_leaving = false
    where ${notifications.id} = ${sql.placeholder('id')}::uuid and status in ('pending', 'sending', 'cancelled')
    returning ${notifications.id}`);

/**
 * Records an acceptance, even if another worker has claimed the message meanwhile, or if it was cancelled while being
 * sent: it has left. False if it was accepted before.
 */
export async function endAccepted(
  executor: Executor,
  { id, at, providerId }: { id: string; at: Date; providerId: string | null },
): Promise<boolean> {
  return (await rowAccepted(executor, { id, at: at.toISOString(), providerId })).length > 0;
}

type End = {
  status: EndStatus;
  at: Date;
  replyCode: number | null;
  refusals: number;
  troubledAt: Date | undefined;
};

export async function endNotification(executor: Executor, id: string, end: End): Promise<void> {
  await executor
    .update(notifications)
    .set({
      status: end.status,
      endedAt: end.at,
      lastReplyCode: end.replyCode,
      refusals: end.refusals,
      ...(end.troubledAt && { troubledAt: end.troubledAt }),
      nextAttemptAt: null,
      leaseUntil: null,
      isLeaving: false,
    })
    .where(eq(notifications.id, id));
}

type Postponement = {
  nextAttemptAt: Date;
  replyCode: number | null;
  attemptsInVain: number;
  refusals: number;
  /** Time of a permanent refusal that is not about the mailbox. Undefined if this attempt had none. */
  troubledAt: Date | undefined;
};

export async function postponeNotification(executor: Executor, id: string, next: Postponement): Promise<void> {
  await executor
    .update(notifications)
    .set({
      status: 'pending',
      nextAttemptAt: next.nextAttemptAt,
      leaseUntil: null,
      isLeaving: false,
      providerId: null,
      lastReplyCode: next.replyCode,
      attemptsInVain: next.attemptsInVain,
      refusals: next.refusals,
      ...(next.troubledAt && { troubledAt: next.troubledAt }),
    })
    .where(eq(notifications.id, id));
}

/**
 * Records that the provider has a text and has not reported its end. A withdrawal until then counts the text as sent,
 * because it may arrive.
 */
export async function keepQueued(
  executor: Executor,
  id: string,
  { providerId, nextAttemptAt }: { providerId: string; nextAttemptAt: Date },
): Promise<void> {
  await executor
    .update(notifications)
    .set({ status: 'pending', providerId, isLeaving: true, nextAttemptAt, leaseUntil: null })
    .where(eq(notifications.id, id));
}

/** Keeps the acceptance alone if its consequences could not be written. The message is never sent again. */
export async function keepAcceptance(
  executor: Executor,
  id: string,
  fact: { at: Date; providerId: string | null; settleAt: Date },
): Promise<void> {
  await executor
    .update(notifications)
    .set({
      status: 'sending',
      acceptedAt: sql`coalesce(${notifications.acceptedAt}, ${fact.at.toISOString()}::timestamptz)`,
      providerId: fact.providerId,
      nextAttemptAt: fact.settleAt,
      endedAt: null,
    })
    .where(and(eq(notifications.id, id), inArray(notifications.status, [...openStatuses, 'cancelled'])));
}

/** Stores the words of a mail that is just leaving. */
export async function storeWritten(executor: Executor, id: string, payload: Buffer): Promise<void> {
  await executor.update(notifications).set({ payload }).where(eq(notifications.id, id));
}
