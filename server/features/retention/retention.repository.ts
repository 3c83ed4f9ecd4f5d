import { and, eq, inArray, isNull, ne, not, notInArray, type SQL, sql } from 'drizzle-orm';
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

/** Messages of which something waits for a day of its own: they are kept until then, whatever became of the plan. */
const waitingMessages = (executor: Executor, userId: string) =>
  executor
    .select({ messageId: messageDeliveries.messageId })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.userId, userId), eq(messageDeliveries.status, 'waiting')));

export async function hasWaitingLetters(executor: Executor, userId: string): Promise<boolean> {
  return (await waitingMessages(executor, userId).limit(1)).length > 0;
}

export type NoticeRow = typeof retentionNotices.$inferSelect;

/** Before these moments something can be due for its notice. */
export type Horizons = { idleSince: Date; openedUntil: Date; lapsedUntil: Date; deliveredUntil: Date };

/** Where a page of owners ended: what they are sorted by, as the database writes it, and the owner. */
type PageEnd = { key: string; id: string };
type Page = { after: PageEnd | null; limit: number };

const firstId = '00000000-0000-0000-0000-000000000000';

/** All who were told that something of theirs will go, and then all of whom something may have to: page by page, by their ids. */
export async function* eachCandidate(
  executor: Executor,
  kind: NoticeKind,
  { horizons, perPage: limit }: { horizons: Horizons; perPage: number },
): AsyncGenerator<string> {
  yield* eachOf(limit, (after) => listTold(executor, kind, { after, limit }));
  yield* eachOf(limit, (after) => listCandidates(executor, kind, { horizons, after, limit }));
}

async function* eachOf(limit: number, read: (after: PageEnd | null) => Promise<PageEnd[]>): AsyncGenerator<string> {
  for (let after: PageEnd | null = null; ; ) {
    const page: PageEnd[] = await read(after);
    for (const { id } of page) yield id;
    after = page.at(-1) ?? null;
    if (page.length < limit) return;
  }
}

/** Owners who were told that something of theirs will go, by id. */
async function listTold(executor: Executor, kind: NoticeKind, { after, limit }: Page): Promise<PageEnd[]> {
  const { rows } = await executor.execute<PageEnd>(sql`
    select user_id::text as key, user_id as id from ${retentionNotices}
    where kind = ${kind} and user_id > ${after?.id ?? firstId}::uuid order by user_id limit ${limit}`);
  return rows;
}

/**
 * Owners of whom something may have to go and who were not told of it yet: a page of an index that holds nobody else, so that
 * a round costs what it finds and not what there is.
 */
async function listCandidates(
  executor: Executor,
  kind: NoticeKind,
  { horizons, after, limit }: Page & { horizons: Horizons },
): Promise<PageEnd[]> {
  const { rows } = await executor.execute<PageEnd>(candidates[kind](horizons, { after, limit }));
  return rows;
}

const untold = (kind: NoticeKind, owner: SQL) =>
  sql`not exists (select from ${retentionNotices} told where told.user_id = ${owner} and told.kind = ${kind})`;

/** A page of users by a column and their id. */
function usersBy(kind: NoticeKind, column: SQL, type: SQL, until: SQL, isOne: SQL) {
  return ({ after, limit }: Page) => sql`
    select ${column}::text as key, id from ${users}
    where ${isOne} and ${column} <= ${until}
      and (${column}, id) > (${after?.key ?? '-infinity'}::${type}, ${after?.id ?? firstId}::uuid)
      and deletion_requested_at is null and ${untold(kind, sql`users.id`)}
    order by ${column}, id limit ${limit}`;
}

const instantOf = (at: Date) => sql`${at.toISOString()}::timestamptz`;

const candidates: Record<NoticeKind, (horizons: Horizons, page: Page) => SQL> = {
  idle: ({ idleSince }, page) => {
    const until = sql`date_trunc('hour', ${instantOf(idleSince)} at time zone 'UTC')`;
    return usersBy('idle', sql`last_checkin_hour`, sql`timestamp`, until, sql`true`)(page);
  },
  unverified: ({ openedUntil }, page) => {
    const isOne = sql`not email_verified and first_verified_at is null and vouched_at is null`;
    return usersBy('unverified', sql`created_at`, sql`timestamptz`, instantOf(openedUntil), isOne)(page);
  },
  undelivered: ({ lapsedUntil }, page) => {
    const isOne = sql`plan = 'free' and subscription_end is not null`;
    return usersBy('undelivered', sql`subscription_end`, sql`timestamptz`, instantOf(lapsedUntil), isOne)(page);
  },
  delivered: ({ deliveredUntil }, { after, limit }) => sql`
    select distinct user_id::text as key, user_id as id from ${messages}
    where status = 'delivered' and delivered_at <= ${instantOf(deliveredUntil)} and user_id > ${after?.id ?? firstId}::uuid
      and ${untold('delivered', sql`messages.user_id`)}
    order by user_id limit ${limit}`,
};

/** When an account was opened whose address was never verified, not by an operator's word either; null for every other. */
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

/** What a release of this owner is doing, and what it would have to send. */
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

export async function listDelivered(executor: Executor, userId: string): Promise<{ id: string; deliveredAt: Date }[]> {
  const rows = await executor
    .select({ id: messages.id, deliveredAt: messages.deliveredAt })
    .from(messages)
    .where(and(eq(messages.userId, userId), eq(messages.status, 'delivered')));
  return rows.flatMap(({ id, deliveredAt }) => (deliveredAt ? [{ id, deliveredAt }] : []));
}

/** What was never delivered, and the files of it and of the vault. */
export async function listUndelivered(
  executor: Executor,
  userId: string,
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
        notInArray(messages.id, waitingMessages(executor, userId)),
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
        notInArray(messages.id, waitingMessages(executor, userId)),
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

/** Removes messages with what was delivered of them; their files are then referred to by nothing. */
export async function deleteMessages(tx: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(messages).where(inArray(messages.id, [...ids]));
}

/** Removes documents and enclosures, and takes the attachments off messages. */
export async function deleteFiles(tx: Executor, files: readonly Pick<KeptFile, 'id' | 'of'>[]): Promise<void> {
  const idsOf = (of: KeptFile['of']) => files.filter((file) => file.of === of).map(({ id }) => id);
  const [ofDocuments, ofMessages, enclosures] = [idsOf('document'), idsOf('message'), idsOf('enclosure')];
  if (ofDocuments.length > 0) await tx.delete(documents).where(inArray(documents.id, ofDocuments));
  if (enclosures.length > 0) {
    // The original of a picture goes with it.
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

/** Writes how the mail ended; `null` where it never left, so that it is written anew. */
export async function endNotice(
  tx: Executor,
  notificationId: string,
  end: Pick<NoticeRow, 'outcome' | 'endedAt' | 'endedHealthyMs'> | null,
): Promise<void> {
  const isThis = eq(retentionNotices.notificationId, notificationId);
  if (end) await tx.update(retentionNotices).set(end).where(isThis);
  else await tx.delete(retentionNotices).where(isThis);
}
