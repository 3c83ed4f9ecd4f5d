import { and, eq, getTableColumns, inArray, isNull, lte, notInArray, type SQLWrapper, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared, statement } from '#server/platform/db/prepared.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { isHeld } from './held-notifications.repository.ts';
import { type NotificationRow, openStatuses } from './notifications.repository.ts';

type EndStatus = 'bounced' | 'dead';

/**
 * Makes due again what was taken until one of these moments and has not been let leave: its worker never heard that it has it.
 * The attempt stays counted, so that whoever else took one at the same moment is let leave nothing with it.
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
      // Whoever takes one back has it, and nobody waits for anybody.
      .for('update', { skipLocked: true }),
  );
  await executor
    .with(lost)
    .update(notifications)
    .set({ status: 'pending', nextAttemptAt: at, leaseUntil: null })
    .where(eq(notifications.id, sql`any(array(select id from lost))`));
}

export type Claimed = { id: string; attempt: number };

/**
 * Which of these may leave now: claimed by this attempt, neither taken back nor stopped since. It is written, so that
 * whoever takes one back afterwards knows that it may still arrive, and it need not outlive a crash of the database: then
 * the same mail is sent again.
 */
const letLeaving = statement<{ id: string }>(sql`
    with waiting as (
      select ${notifications.id} from ${notifications}
        join unnest(${sql.placeholder('ids')}::uuid[], ${sql.placeholder('attempts')}::integer[]) as claimed (id, attempt)
          on claimed.id = ${notifications.id} and claimed.attempt = ${notifications.attempts}
      where ${notifications.status} = 'sending' and not ${isHeld(sql`${sql.placeholder('held')}`)}
      order by ${notifications.id} for update of ${notifications}
    )
    update ${notifications} set is_leaving = true
    from waiting
    where ${notifications.id} = waiting.id and set_config('synchronous_commit', 'off', true) is not null
    returning ${notifications.id}`);

export async function letLeave(
  executor: Executor,
  { claimed, held }: { claimed: readonly Claimed[]; held: readonly string[] },
): Promise<Set<string>> {
  const rows = await letLeaving(executor, {
    ids: claimed.map(({ id }) => id),
    attempts: claimed.map(({ attempt }) => attempt),
    held: [...held],
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes back, of what was caused by these, is of this kind and not accepted, what a worker has taken; and keeps whatever is open
 * of this kind and owner from being taken until the end of the transaction. One statement: nothing passes from one to the other.
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

/** Gives a claim back of which nothing has left, as if it had not been taken. */
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

/** It was taken back while it was under way, and it is known now that it did not arrive. */
export async function markNotLeft(executor: Executor, id: string): Promise<void> {
  await executor.update(notifications).set({ isLeaving: false }).where(eq(notifications.id, id));
}

/** Those that were let leave before a moment, were taken back, and of which nobody has said what became: their worker is gone. */
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

/** A message without what it says, which nobody needs who records what became of it. */
export type TriedRow = Omit<NotificationRow, 'payload'>;

const rowsLocked = prepared((executor) => {
  const { payload: _, ...columns } = getTableColumns(notifications);
  return executor
    .select(columns)
    .from(notifications)
    .where(sql`${notifications.id} = any(${sql.placeholder('ids')}::uuid[])`)
    .orderBy(notifications.id)
    .for('update')
    .prepare('notifications_locked');
});

export async function lockNotifications(executor: Executor, ids: readonly string[]): Promise<TriedRow[]> {
  return rowsLocked(executor).execute({ ids });
}

const rowsAccepted = statement<{ id: string }>(sql`
    with locked as (
      select id from ${notifications}
      where id = any(${sql.placeholder('ids')}::uuid[]) and status in ('pending', 'sending', 'cancelled')
      order by id for update
    )
    update ${notifications} set status = 'accepted', ended_at = accepted.at, accepted_at = accepted.at,
      last_reply_code = null, provider_id = accepted.provider_id, next_attempt_at = null, lease_until = null, is_leaving = false
    from unnest(${sql.placeholder('ids')}::uuid[], ${sql.placeholder('ats')}::timestamptz[],
                ${sql.placeholder('providerIds')}::text[]) as accepted (id, at, provider_id)
      join locked using (id)
    where ${notifications}.id = accepted.id
    returning ${notifications}.id`);

/**
 * Writes for each that it was accepted, whoever else has taken it meanwhile, and also where it was cancelled while it was
 * under way: it has left. Gives the ids of those for which this is news.
 */
export async function endAccepted(
  executor: Executor,
  accepted: readonly { id: string; at: Date; providerId: string | null }[],
): Promise<Set<string>> {
  const written = await rowsAccepted(executor, {
    ids: accepted.map(({ id }) => id),
    ats: accepted.map(({ at }) => at.toISOString()),
    providerIds: accepted.map(({ providerId }) => providerId),
  });
  return new Set(written.map(({ id }) => id));
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
  /** When a server refused it permanently for a reason that is none of the mailbox; undefined if not this time. */
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
      lastReplyCode: next.replyCode,
      attemptsInVain: next.attemptsInVain,
      refusals: next.refusals,
      ...(next.troubledAt && { troubledAt: next.troubledAt }),
    })
    .where(eq(notifications.id, id));
}

/** Keeps the bare fact that it was accepted, when what follows from it could not be written. It is never sent again. */
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

/** Keeps what a mail that is just leaving says. */
export async function storeWritten(executor: Executor, id: string, payload: Buffer): Promise<void> {
  await executor.update(notifications).set({ payload }).where(eq(notifications.id, id));
}
