import { and, eq, gt, inArray, isNull, ne, not, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';
import { retentionNotices } from '#server/schema/privacy.tables.ts';
import { releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';
import type { NoticeKind } from '#shared/rules/retention.ts';
import type { KeptFile, KeptMessage, Standing } from './retention.rules.ts';

export type NoticeRow = typeof retentionNotices.$inferSelect;

/** Data of each kind can be due for a notice only if it is older than this time. */
export type Horizons = { idleBefore: Date; openedBefore: Date; lapsedBefore: Date; deliveredBefore: Date };

/** Last owner of a page. `key` is their sort key as text, because a `Date` would lose its microseconds. */
type PageEnd = { key: string; id: string };
type Page = { after: PageEnd | null; limit: number };

const firstId = '00000000-0000-0000-0000-000000000000';

/** Yields the ids of owners with a notice of this kind, then of owners who may need one. Reads them page by page. */
export async function* eachCandidate(
  executor: Executor,
  kind: NoticeKind,
  { horizons, perPage: limit }: { horizons: Horizons; perPage: number },
): AsyncGenerator<string> {
  yield* eachId(limit, (after) => listNoticed(executor, kind, { after, limit }));
  yield* eachId(limit, (after) => listCandidates(executor, kind, { horizons, after, limit }));
}

async function* eachId(limit: number, read: (after: PageEnd | null) => Promise<PageEnd[]>): AsyncGenerator<string> {
  for (let after: PageEnd | null = null; ; ) {
    const page: PageEnd[] = await read(after);
    for (const { id } of page) yield id;
    after = page.at(-1) ?? null;
    if (page.length < limit) return;
  }
}

/** Owners with a notice of this kind, by id. */
async function listNoticed(executor: Executor, kind: NoticeKind, { after, limit }: Page): Promise<PageEnd[]> {
  const { rows } = await executor.execute<PageEnd>(sql`
    select user_id::text as key, user_id as id from ${retentionNotices}
    where kind = ${kind} and user_id > ${after?.id ?? firstId}::uuid order by user_id limit ${limit}`);
  return rows;
}

/** Owners without a notice whose data may be due for one. Reads an index of such owners, not all accounts. */
async function listCandidates(
  executor: Executor,
  kind: NoticeKind,
  { horizons, after, limit }: Page & { horizons: Horizons },
): Promise<PageEnd[]> {
  const { rows } = await executor.execute<PageEnd>(candidates[kind](horizons, { after, limit }));
  return rows;
}

const hasNoNotice = (kind: NoticeKind, owner: SQL) =>
  sql`not exists (select from ${retentionNotices} notice where notice.user_id = ${owner} and notice.kind = ${kind})`;

type UserFilter = { kind: NoticeKind; column: SQL; type: SQL; until: SQL; isCandidate: SQL };

/** Page of users who pass the filter, sorted by its column and then by id. */
function pageOfUsers({ kind, column, type, until, isCandidate }: UserFilter, { after, limit }: Page): SQL {
  return sql`
    select ${column}::text as key, id from ${users}
    where ${isCandidate} and ${column} <= ${until}
      and (${column}, id) > (${after?.key ?? '-infinity'}::${type}, ${after?.id ?? firstId}::uuid)
      and deletion_requested_at is null and ${hasNoNotice(kind, sql`users.id`)}
    order by ${column}, id limit ${limit}`;
}

const instantOf = (at: Date) => sql`${at.toISOString()}::timestamptz`;

const candidates: Record<NoticeKind, (horizons: Horizons, page: Page) => SQL> = {
  idle: ({ idleBefore }, page) => {
    const until = sql`date_trunc('hour', ${instantOf(idleBefore)} at time zone 'UTC')`;
    const column = sql`last_checkin_hour`;
    return pageOfUsers({ kind: 'idle', column, type: sql`timestamp`, until, isCandidate: sql`true` }, page);
  },
  unverified: ({ openedBefore }, page) => {
    const isCandidate = sql`not email_verified and first_verified_at is null and vouched_at is null`;
    const opened = { column: sql`created_at`, type: sql`timestamptz`, until: instantOf(openedBefore) };
    return pageOfUsers({ kind: 'unverified', ...opened, isCandidate }, page);
  },
  undelivered: ({ lapsedBefore }, page) => {
    const isCandidate = sql`plan = 'free' and subscription_end is not null`;
    const lapsed = { column: sql`subscription_end`, type: sql`timestamptz`, until: instantOf(lapsedBefore) };
    return pageOfUsers({ kind: 'undelivered', ...lapsed, isCandidate }, page);
  },
  delivered: ({ deliveredBefore }, { after, limit }) => sql`
    select distinct user_id::text as key, user_id as id from ${messages}
    where status = 'delivered' and delivered_at <= ${instantOf(deliveredBefore)} and user_id > ${after?.id ?? firstId}::uuid
      and ${hasNoNotice('delivered', sql`messages.user_id`)}
    order by user_id limit ${limit}`,
};

/**
 * Messages with a letter that waits for its own day, or that its reader has kept. They stay until then, even without a
 * paid plan.
 */
const waitingMessages = (executor: Executor, userId: string, at: Date) => {
  const { status, keptUntil } = messageDeliveries;
  const isKept = and(eq(status, 'accepted'), gt(keptUntil, at));
  return executor
    .select({ messageId: messageDeliveries.messageId })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.userId, userId), or(eq(status, 'waiting'), isKept)));
};

export async function hasWaitingLetters(executor: Executor, userId: string, at: Date): Promise<boolean> {
  return (await waitingMessages(executor, userId, at).limit(1)).length > 0;
}

/** Time when the account was opened. Null if its address was ever verified, or the operator vouched for it. */
export async function findUnverifiedSince(executor: Executor, userId: string): Promise<Date | null> {
  const [row] = await executor
    .select({ at: users.createdAt })
    .from(users)
    .where(and(eq(users.id, userId), not(users.emailVerified), isNull(users.firstVerifiedAt), isNull(users.vouchedAt)));
  return row?.at ?? null;
}

export async function findSubscriptionEnd(executor: Executor, userId: string): Promise<Date | null> {
  const [row] = await executor.select({ at: users.subscriptionEnd }).from(users).where(eq(users.id, userId));
  return row?.at ?? null;
}

/** State of the owner's release, and the messages and contacts that one could use. */
export async function readStanding(executor: Executor, userId: string): Promise<Standing> {
  const isOpenSilence = and(eq(releaseSilences.userId, userId), isNull(releaseSilences.closedAt));
  const [request] = await executor
    .select({ releasedAt: releaseRequests.releasedAt, doneAt: releaseRequests.doneAt })
    .from(releaseRequests)
    .where(and(eq(releaseRequests.userId, userId), isNull(releaseRequests.closedAt)));
  const readyMessages = await executor.$count(messages, and(eq(messages.userId, userId), eq(messages.status, 'ready')));
  const isCounted = and(trustedContacts.isActive, trustedContacts.isConfirmed);
  const confirmedContacts = await executor.$count(trustedContacts, and(eq(trustedContacts.userId, userId), isCounted));
  return {
    isSilent: (await executor.$count(releaseSilences, isOpenSilence)) > 0,
    request: request ? stageOf(request) : null,
    readyMessages,
    confirmedContacts,
  };
}

function stageOf({ releasedAt, doneAt }: { releasedAt: Date | null; doneAt: Date | null }) {
  if (doneAt) return 'done';
  return releasedAt ? 'releasing' : 'asking';
}

/**
 * Delivered messages. `kept`: the last year for which one of its readers has it kept, which is whole whatever the plan.
 */
export async function listDelivered(
  executor: Executor,
  userId: string,
): Promise<{ id: string; deliveredAt: Date; kept: { untilMs: number; fromHealthyMs: number } | null }[]> {
  const rows = await executor
    .select({
      id: messages.id,
      deliveredAt: messages.deliveredAt,
      untilMs: sql<number | null>`max(extract(epoch from ${messageDeliveries.keptUntil}) * 1000)::float8`,
      fromHealthyMs: sql<number | null>`max(${messageDeliveries.keptFromHealthyMs})::float8`,
    })
    .from(messages)
    .leftJoin(messageDeliveries, eq(messageDeliveries.messageId, messages.id))
    .where(and(eq(messages.userId, userId), eq(messages.status, 'delivered')))
    .groupBy(messages.id);
  return rows.flatMap(({ id, deliveredAt, untilMs, fromHealthyMs }) => {
    const kept = untilMs !== null && fromHealthyMs !== null ? { untilMs, fromHealthyMs } : null;
    return deliveredAt ? [{ id, deliveredAt, kept }] : [];
  });
}

/** Undelivered messages that wait for no day, with their files and the documents of the vault. */
export async function listUndelivered(
  executor: Executor,
  userId: string,
  at: Date,
): Promise<{ messages: KeptMessage[]; files: KeptFile[] }> {
  const kept = await executor
    .select({
      id: messages.id,
      status: messages.status,
      changedAt: messages.updatedAt,
      attachmentSize: messages.attachmentSize,
    })
    .from(messages)
    .where(
      and(
        eq(messages.userId, userId),
        ne(messages.status, 'delivered'),
        notInArray(messages.id, waitingMessages(executor, userId, at)),
      ),
    );
  const stored = await executor
    .select({ id: documents.id, sizeBytes: documents.fileSize, changedAt: documents.updatedAt })
    .from(documents)
    .where(eq(documents.userId, userId));
  const enclosed = await executor
    .select({
      id: messageEnclosures.id,
      messageId: messageEnclosures.messageId,
      sizeBytes: messageEnclosures.fileSize,
      changedAt: messages.updatedAt,
    })
    .from(messageEnclosures)
    .innerJoin(messages, eq(messages.id, messageEnclosures.messageId))
    .where(
      and(
        eq(messageEnclosures.userId, userId),
        ne(messages.status, 'delivered'),
        notInArray(messages.id, waitingMessages(executor, userId, at)),
      ),
    );
  const attached = kept.flatMap(({ id, attachmentSize: sizeBytes, changedAt }) =>
    sizeBytes === null ? [] : [{ id, messageId: id, of: 'message' as const, sizeBytes, changedAt }],
  );
  const files: (Omit<KeptFile, 'changedAtMs'> & { changedAt: Date })[] = [
    ...attached,
    ...enclosed.map((file) => ({ ...file, of: 'enclosure' as const })),
    ...stored.map((file) => ({ ...file, messageId: null, of: 'document' as const })),
  ];
  return {
    messages: kept.map(({ id, status, changedAt }) => ({
      id,
      isReady: status === 'ready',
      changedAtMs: changedAt.getTime(),
    })),
    files: files.map(({ changedAt, ...file }) => ({ ...file, changedAtMs: changedAt.getTime() })),
  };
}

/** Deletes messages and their deliveries. The stored files stay, without a row that refers to them. */
export async function deleteMessages(tx: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(messages).where(inArray(messages.id, [...ids]));
}

/** Deletes documents and enclosures, and clears the attachments of messages. */
export async function deleteFiles(tx: Executor, files: readonly Pick<KeptFile, 'id' | 'of'>[]): Promise<void> {
  const idsOf = (of: KeptFile['of']) => files.filter((file) => file.of === of).map(({ id }) => id);
  const [ofDocuments, ofMessages, enclosures] = [idsOf('document'), idsOf('message'), idsOf('enclosure')];
  if (ofDocuments.length > 0) await tx.delete(documents).where(inArray(documents.id, ofDocuments));
  if (enclosures.length > 0) {
    // The foreign key also deletes the original of a picture.
    await tx.delete(messageEnclosures).where(inArray(messageEnclosures.id, enclosures));
  }
  if (ofMessages.length === 0) return;
  const none = {
    attachmentPath: null,
    attachmentOriginalName: null,
    attachmentSize: null,
    attachmentMimeType: null,
    attachmentTranscript: null,
  };
  await tx
    .update(messages)
    .set({ hasAttachment: false, ...none })
    .where(inArray(messages.id, ofMessages));
}

export async function findNotice(tx: Executor, userId: string, kind: NoticeKind): Promise<NoticeRow | null> {
  const [row] = await tx
    .select()
    .from(retentionNotices)
    .where(and(eq(retentionNotices.userId, userId), eq(retentionNotices.kind, kind)));
  return row ?? null;
}

export async function insertNotice(tx: Executor, row: typeof retentionNotices.$inferInsert): Promise<void> {
  await tx.insert(retentionNotices).values(row);
}

export async function deleteNotice(tx: Executor, userId: string, kind: NoticeKind): Promise<void> {
  await tx.delete(retentionNotices).where(and(eq(retentionNotices.userId, userId), eq(retentionNotices.kind, kind)));
}

/** Records the outcome of the notice's mail. If it never left (null), deletes the notice, so that the next visit writes another. */
export async function endNotice(
  tx: Executor,
  notificationId: string,
  end: Pick<NoticeRow, 'outcome' | 'endedAt' | 'endedHealthyMs'> | null,
): Promise<void> {
  const isThis = eq(retentionNotices.notificationId, notificationId);
  if (end) await tx.update(retentionNotices).set(end).where(isThis);
  else await tx.delete(retentionNotices).where(isThis);
}
