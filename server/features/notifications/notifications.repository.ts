import { and, eq, inArray, isNotNull, isNull, lt, min, not, type SQLWrapper, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared, statement } from '#server/platform/db/prepared.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { wakeCall } from '#server/platform/db/wakes.ts';
import { notifications, smsNotifications } from '#server/schema/notifications.tables.ts';
import { isFrozenMail, isInLine } from './frozen-mail.repository.ts';

export type NotificationRow = typeof notifications.$inferSelect;
/** As it is written: whatever follows from an attempt is not there yet. */
type WrittenNotification = Pick<
  NotificationRow,
  | 'id'
  | 'userId'
  | 'channel'
  | 'kind'
  | 'subjectId'
  | 'contactId'
  | 'notice'
  | 'dedupeKey'
  | 'messageId'
  | 'mailboxKey'
  | 'domainKey'
  | 'policy'
  | 'notBefore'
  | 'nextAttemptAt'
  | 'trace'
  | 'createdAt'
> & { payload: Buffer };

export const openStatuses = ['pending', 'sending'] as const;

/** Wakes the outbox when the transaction commits, unless the row is for later. PostgreSQL sends equal wake-ups of a transaction once. */
const wakesOutbox = sql`case when ${notifications.notBefore} <= ${notifications.createdAt} then ${wakeCall('outbox')} end`;

/** Number of rows per insert, because their text stands in memory meanwhile. */
const rowsPerInsert = 1_000;

const inserted = prepared((executor) =>
  executor
    .insert(notifications)
    .values({
      id: sql.placeholder('id'),
      userId: sql.placeholder('userId'),
      channel: sql.placeholder('channel'),
      kind: sql.placeholder('kind'),
      subjectId: sql.placeholder('subjectId'),
      contactId: sql.placeholder('contactId'),
      notice: sql.placeholder('notice'),
      dedupeKey: sql.placeholder('dedupeKey'),
      payload: sql.placeholder('payload'),
      messageId: sql.placeholder('messageId'),
      mailboxKey: sql.placeholder('mailboxKey'),
      domainKey: sql.placeholder('domainKey'),
      policy: sql.placeholder('policy'),
      notBefore: sql.placeholder('notBefore'),
      nextAttemptAt: sql.placeholder('nextAttemptAt'),
      trace: sql.placeholder('trace'),
      createdAt: sql.placeholder('createdAt'),
    })
    .onConflictDoNothing({ target: notifications.dedupeKey })
    .returning({ id: notifications.id, woken: wakesOutbox })
    .prepare('notification_insert'),
);

/** Inserts a row unless its dedupe key is taken. Returns the id of the existing row, and whether it is new. */
export async function insertNotification(
  executor: Executor,
  row: WrittenNotification,
): Promise<{ id: string; isNew: boolean }> {
  const [written] = await inserted(executor).execute(row);
  if (written) return { id: written.id, isNew: true };

  const [known] = await executor
    .select({ id: notifications.id })
    .from(notifications)
    .where(eq(notifications.dedupeKey, row.dedupeKey));
  if (!known) throw new Error('The row that holds this dedupe key went away while it was looked for.');
  return { id: known.id, isNew: false };
}

const written = recordSet(notifications, [
  'id',
  'userId',
  'channel',
  'kind',
  'subjectId',
  'contactId',
  'notice',
  'dedupeKey',
  'payload',
  'messageId',
  'mailboxKey',
  'domainKey',
  'policy',
  'notBefore',
  'nextAttemptAt',
  'trace',
  'createdAt',
]);

const allInserted = statement<{ id: string }>(sql`
    insert into notifications (${written.names}) select ${written.names} from ${written.source}
    on conflict (dedupe_key) do nothing
    returning id, ${wakesOutbox}`);

/** Inserts rows, except those with a taken dedupe key. Returns the ids of the new ones. */
export async function insertNotifications(
  executor: Executor,
  rows: readonly WrittenNotification[],
): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const inserted = await allInserted(executor, { rows: written.encode(rows.slice(from, from + rowsPerInsert)) });
    for (const { id } of inserted) ids.add(id);
  }
  return ids;
}

export type NewTextRow = typeof smsNotifications.$inferInsert;

export async function insertTexts(executor: Executor, rows: readonly NewTextRow[]): Promise<void> {
  if (rows.length > 0) await executor.insert(smsNotifications).values([...rows]);
}

/** Marks the text's own row. */
export async function updateText(
  executor: Executor,
  notificationId: string,
  change: { status: 'sent' | 'failed'; sentAt?: Date },
): Promise<void> {
  await executor.update(smsNotifications).set(change).where(eq(smsNotifications.notificationId, notificationId));
}

/** Time at which a text was handed to its provider. Null before that. */
export async function findTextSentAt(executor: Executor, notificationId: string): Promise<Date | null> {
  const [row] = await executor
    .select({ sentAt: smsNotifications.sentAt })
    .from(smsNotifications)
    .where(eq(smsNotifications.notificationId, notificationId));
  return row?.sentAt ?? null;
}

/** Cancels the rows of withdrawn texts. */
export async function cancelTexts(executor: Executor, notificationIds: readonly string[]): Promise<void> {
  if (notificationIds.length === 0) return;
  await executor
    .update(smsNotifications)
    .set({ status: 'cancelled' })
    .where(inArray(smsNotifications.notificationId, [...notificationIds]));
}

/** True if a message of the same kind and cause, written with this one or later, was accepted or is still to leave. */
export async function hasLaterMessage(executor: Executor, id: string): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    select 1 from notifications this join notifications other on other.subject_id = this.subject_id
    where this.id = ${id} and other.kind = this.kind and other.created_at >= this.created_at
      and other.status in ('accepted', 'pending', 'sending') limit 1`);
  return rows.length > 0;
}

/** True if a message about this subject has not ended, of this kind if one is given. */
export async function hasOpenFor(executor: Executor, subjectId: string, kind?: string): Promise<boolean> {
  const rows = await executor
    .select({ id: notifications.id })
    .from(notifications)
    .where(
      and(
        eq(notifications.subjectId, subjectId),
        kind === undefined ? undefined : eq(notifications.kind, kind),
        inArray(notifications.status, [...openStatuses]),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** Subject ids of messages: one, or a query of another feature, whose result is not read before. */
export type Subjects = string | SQLWrapper;
export type ToCancel =
  | { subjects: Subjects; kinds: readonly string[] }
  | { userId: string; notices: readonly number[] }
  | { userId: string; policy: 'brief' }
  | { userId: string; kind: string; butOf: SQLWrapper };

/** Withdraws unaccepted messages with one statement. Returns the ids of the texts among them. */
export async function cancelNotifications(
  executor: Executor,
  { of, at }: { of: ToCancel; at: Date },
): Promise<string[]> {
  const cancelled = await executor
    .update(notifications)
    .set({ status: 'cancelled', endedAt: at, nextAttemptAt: null, leaseUntil: null })
    .where(and(isMeant(of), inArray(notifications.status, [...openStatuses]), isNull(notifications.acceptedAt)))
    .returning({ id: notifications.id, channel: notifications.channel });
  return cancelled.filter(({ channel }) => channel === 'sms').map(({ id }) => id);
}

function isMeant(of: ToCancel) {
  if ('notices' in of) return and(eq(notifications.userId, of.userId), inArray(notifications.notice, [...of.notices]));
  if ('policy' in of) return and(eq(notifications.userId, of.userId), eq(notifications.policy, of.policy));
  if ('subjects' in of) return and(isCausedBy(of.subjects), inArray(notifications.kind, [...of.kinds]));
  const { userId, kind } = notifications;
  return and(eq(userId, of.userId), eq(kind, of.kind), not(isCausedBy(of.butOf)));
}

/** Withdraws unclaimed mails of a kind. A mail that is claimed meanwhile stays. Returns their subjects. */
export async function cancelUntried(
  tx: Executor,
  { subjectIds, kind, at }: { subjectIds: readonly string[]; kind: string; at: Date },
): Promise<string[]> {
  if (subjectIds.length === 0) return [];
  const cancelled = await tx
    .update(notifications)
    .set({ status: 'cancelled', endedAt: at, nextAttemptAt: null })
    .where(
      and(
        inArray(notifications.subjectId, [...subjectIds]),
        eq(notifications.kind, kind),
        eq(notifications.status, 'pending'),
        eq(notifications.attempts, 0),
      ),
    )
    .returning({ subjectId: notifications.subjectId });
  return cancelled.flatMap(({ subjectId }) => subjectId ?? []);
}

/** Subjects, of these, with a message that may have left and has no known outcome yet. */
export async function listLeaving(
  executor: Executor,
  { subjects, kind }: { subjects: Subjects; kind: string },
): Promise<string[]> {
  const rows = await executor
    .select({ subjectId: notifications.subjectId })
    .from(notifications)
    .where(and(isCausedBy(subjects), eq(notifications.kind, kind), eq(notifications.isLeaving, true)));
  return rows.flatMap(({ subjectId }) => subjectId ?? []);
}

function isCausedBy(subjects: Subjects) {
  if (typeof subjects === 'string') return eq(notifications.subjectId, subjects);
  // As an array the query is run once. As a set it is a join, which was found to read all of it again for each message.
  return sql`${notifications.subjectId} = any(array(${subjects}))`;
}

export async function findNextDue(executor: Executor): Promise<Date | null> {
  const [row] = await executor
    .select({ at: min(notifications.nextAttemptAt) })
    .from(notifications)
    .where(and(isInLine, not(isFrozenMail)));
  return row?.at ?? null;
}

/** Empties payloads of messages that ended before `endedBefore`, at most `limit` rows. Returns their number. */
export async function emptyPayloads(
  executor: Executor,
  { channels, endedBefore, limit }: { channels: NotificationRow['channel'][]; endedBefore: Date; limit: number },
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
