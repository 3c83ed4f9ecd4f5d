import { and, desc, eq, gte, inArray, isNotNull, lt, lte, max, min, notInArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications, smsNotifications } from './notifications.tables.ts';

export type NotificationRow = typeof notifications.$inferSelect;
export type NewNotificationRow = typeof notifications.$inferInsert;
type EndStatus = 'accepted' | 'bounced' | 'dead';

const openStatuses = ['pending', 'sending'] as const;

/** Writes a row unless its dedupe key is taken. Gives the id of the row that is there, and whether it is new. */
export async function insertNotification(
  executor: Executor,
  row: NewNotificationRow,
): Promise<{ id: string; isNew: boolean }> {
  const [inserted] = await executor
    .insert(notifications)
    .values(row)
    .onConflictDoNothing({ target: notifications.dedupeKey })
    .returning({ id: notifications.id });
  if (inserted) return { id: inserted.id, isNew: true };

  const [known] = await executor
    .select({ id: notifications.id })
    .from(notifications)
    .where(eq(notifications.dedupeKey, row.dedupeKey));
  if (!known) throw new Error('The row that holds this dedupe key went away while it was looked for.');
  return { id: known.id, isNew: false };
}

export async function insertText(executor: Executor, row: typeof smsNotifications.$inferInsert): Promise<void> {
  await executor.insert(smsNotifications).values(row);
}

/** Marks the text's own row. */
export async function updateText(
  executor: Executor,
  notificationId: string,
  change: { status: 'sent' | 'failed' | 'cancelled'; sentAt?: Date },
): Promise<void> {
  await executor.update(smsNotifications).set(change).where(eq(smsNotifications.notificationId, notificationId));
}

export type Claim = { now: Date; leaseUntil: Date; except: readonly string[] };

/**
 * Takes the one that has waited longest, in one statement: attempt and lease are written before anything is sent.
 * Rows that another worker is just taking are passed by. What was accepted but not settled is taken too.
 */
export async function claimDue(
  executor: Executor,
  { now, leaseUntil, except }: Claim,
): Promise<NotificationRow | null> {
  const isDue = and(inArray(notifications.status, [...openStatuses]), lte(notifications.nextAttemptAt, now));
  const due = executor
    .select({ id: notifications.id })
    .from(notifications)
    .where(except.length > 0 ? and(isDue, notInArray(notifications.id, [...except])) : isDue)
    .orderBy(notifications.nextAttemptAt, notifications.id)
    .limit(1)
    .for('update', { skipLocked: true });

  const [claimed] = await executor
    .update(notifications)
    .set({
      status: 'sending',
      attempts: sql`${notifications.attempts} + case when ${notifications.acceptedAt} is null then 1 else 0 end`,
      lastAttemptAt: now,
      leaseUntil,
      nextAttemptAt: leaseUntil,
    })
    .where(eq(notifications.id, sql`(${due})`))
    .returning();
  return claimed ?? null;
}

/**
 * Locks the owner's row, as every writing transaction does before its own rows, or two of them wait for each other.
 * The row is another feature's: it is locked and not read.
 */
export async function lockUser(executor: Executor, userId: string): Promise<void> {
  await executor.execute(sql`select from users where id = ${userId} for update`);
}

export async function lockNotification(executor: Executor, id: string): Promise<NotificationRow | null> {
  const [row] = await executor.select().from(notifications).where(eq(notifications.id, id)).for('update');
  return row ?? null;
}

type End = { status: EndStatus; at: Date; replyCode: number | null; providerId: string | null; refusals: number };

export async function endNotification(executor: Executor, id: string, end: End): Promise<void> {
  await executor
    .update(notifications)
    .set({
      status: end.status,
      endedAt: end.at,
      ...(end.status === 'accepted' ? { acceptedAt: end.at } : {}),
      lastReplyCode: end.replyCode,
      providerId: end.providerId,
      refusals: end.refusals,
      nextAttemptAt: null,
      leaseUntil: null,
    })
    .where(eq(notifications.id, id));
}

type Postponement = { nextAttemptAt: Date; replyCode: number | null; refusals: number; refusedAt: Date | null };

export async function postponeNotification(executor: Executor, id: string, next: Postponement): Promise<void> {
  await executor
    .update(notifications)
    .set({
      status: 'pending',
      nextAttemptAt: next.nextAttemptAt,
      leaseUntil: null,
      lastReplyCode: next.replyCode,
      refusals: next.refusals,
      refusedAt: next.refusedAt,
    })
    .where(eq(notifications.id, id));
}

/** Whether any mail was accepted at or after a moment. */
export async function wasMailAccepted(executor: Executor, { since }: { since: Date }): Promise<boolean> {
  const rows = await executor
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(gte(notifications.acceptedAt, since), eq(notifications.channel, 'email')))
    .limit(1);
  return rows.length > 0;
}

/** Whether something about this subject is still on its way. */
export async function hasOpenFor(executor: Executor, subjectId: string): Promise<boolean> {
  const rows = await executor
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(eq(notifications.subjectId, subjectId), inArray(notifications.status, [...openStatuses])))
    .limit(1);
  return rows.length > 0;
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

/** Takes back what is not accepted. Gives the ids. */
export async function cancelNotifications(
  executor: Executor,
  { subjectId, kinds, at }: { subjectId: string; kinds: readonly string[] | undefined; at: Date },
): Promise<string[]> {
  const ofSubject = and(
    eq(notifications.subjectId, subjectId),
    inArray(notifications.status, [...openStatuses]),
    sql`${notifications.acceptedAt} is null`,
  );
  const cancelled = await executor
    .update(notifications)
    .set({ status: 'cancelled', endedAt: at, nextAttemptAt: null, leaseUntil: null })
    .where(kinds ? and(ofSubject, inArray(notifications.kind, [...kinds])) : ofSubject)
    .returning({ id: notifications.id, channel: notifications.channel });
  return cancelled.filter(({ channel }) => channel === 'sms').map(({ id }) => id);
}

export async function findNextDue(executor: Executor): Promise<Date | null> {
  const [row] = await executor
    .select({ at: min(notifications.nextAttemptAt) })
    .from(notifications)
    .where(inArray(notifications.status, [...openStatuses]));
  return row?.at ?? null;
}

/**
 * The mail that has been due longest, and when one was last accepted. One whose mailbox refused it is not counted
 * as due: a refusal counts only while the mail system is known to work.
 */
export async function readMailFlow(
  executor: Executor,
  now: Date,
): Promise<{ dueSince: Date | null; lastAcceptedAt: Date | null }> {
  const isEmail = eq(notifications.channel, 'email');
  const [due] = await executor
    .select({ since: min(notifications.notBefore) })
    .from(notifications)
    .where(
      and(
        isEmail,
        inArray(notifications.status, [...openStatuses]),
        lte(notifications.notBefore, now),
        sql`${notifications.acceptedAt} is null`,
        eq(notifications.refusals, 0),
      ),
    );
  if (!due?.since) return { dueSince: null, lastAcceptedAt: null };

  const [accepted] = await executor
    .select({ at: max(notifications.acceptedAt) })
    .from(notifications)
    .where(isEmail);
  return { dueSince: due.since, lastAcceptedAt: accepted?.at ?? null };
}

/** Empties what ended before `endedBefore`, at most `limit` rows. Gives how many. */
export async function emptyPayloads(
  executor: Executor,
  { channels, endedBefore, limit }: { channels: ('email' | 'sms')[]; endedBefore: Date; limit: number },
): Promise<number> {
  if (channels.length === 0) return 0;
  const old = executor
    .select({ id: notifications.id })
    .from(notifications)
    .where(
      and(
        isNotNull(notifications.payload),
        lt(notifications.endedAt, endedBefore),
        inArray(notifications.channel, channels),
      ),
    )
    .orderBy(notifications.endedAt)
    .limit(limit);
  const emptied = await executor
    .update(notifications)
    .set({ payload: null })
    .where(inArray(notifications.id, old))
    .returning({ id: notifications.id });
  return emptied.length;
}

/** Newest first, for the outbox page. */
export async function listNewest(
  executor: Executor,
  { channels, limit, offset }: { channels: ('email' | 'sms')[]; limit: number; offset: number },
): Promise<NotificationRow[]> {
  return executor
    .select()
    .from(notifications)
    .where(and(isNotNull(notifications.payload), inArray(notifications.channel, channels)))
    .orderBy(desc(notifications.createdAt), desc(notifications.id))
    .limit(limit)
    .offset(offset);
}

export async function findNotification(executor: Executor, id: string): Promise<NotificationRow | null> {
  const [row] = await executor.select().from(notifications).where(eq(notifications.id, id));
  return row ?? null;
}
