import { and, asc, count, desc, eq, exists, gt, inArray, isNull, lt, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { bulkEmailRecipients, bulkEmails, type bulkRecipientStates } from '#server/schema/bulk-emails.tables.ts';

export type BulkEmailRow = typeof bulkEmails.$inferSelect;
type RecipientState = (typeof bulkRecipientStates)[number];

export async function insertBulkEmail(tx: Executor, row: typeof bulkEmails.$inferInsert): Promise<void> {
  await tx.insert(bulkEmails).values(row);
}

/** Number of these addresses that belong to an account. Each one is given once, in lower case. */
export async function countRegistered(executor: Executor, addresses: readonly string[]): Promise<number> {
  const [row] = await executor.select({ known: count() }).from(users).where(hasAddress(addresses));
  return row?.known ?? 0;
}

/** Adds those addresses that are verified and have not stopped the news. Returns their number. */
export async function insertRecipients(
  tx: Executor,
  { bulkEmailId, addresses }: { bulkEmailId: string; addresses: readonly string[] },
): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    insert into ${bulkEmailRecipients} (bulk_email_id, user_id)
    select ${bulkEmailId}::uuid, ${users.id} from ${users}
    where ${and(hasAddress(addresses), mayBeWrittenTo)}`);
  return rowCount ?? 0;
}

/** One parameter for any number of addresses. */
function hasAddress(addresses: readonly string[]): SQL {
  return sql`${users.email} = any(${sql.param([...addresses])}::text[])`;
}

const mayBeWrittenTo = and(users.emailVerified, isNull(users.newsStoppedAt), isNull(users.deletionRequestedAt));

/** The bulk email that is served now: they go one after another. Locked, so that workers count the pace together. */
export async function lockOldestWaiting(tx: Executor): Promise<BulkEmailRow | null> {
  const [row] = await tx
    .select()
    .from(bulkEmails)
    .where(and(eq(bulkEmails.state, 'sending'), exists(recipientsIn(tx, ['waiting']))))
    .orderBy(asc(bulkEmails.createdAt))
    .limit(1)
    .for('update');
  return row ?? null;
}

/** Recipients of the bulk email of the statement around this. */
function recipientsIn(executor: Executor, states: RecipientState[]) {
  return executor
    .select({ one: sql`1` })
    .from(bulkEmailRecipients)
    .where(and(eq(bulkEmailRecipients.bulkEmailId, bulkEmails.id), inArray(bulkEmailRecipients.state, states)));
}

export async function lockBulkEmail(tx: Executor, id: string): Promise<BulkEmailRow | null> {
  const [row] = await tx.select().from(bulkEmails).where(eq(bulkEmails.id, id)).for('update');
  return row ?? null;
}

/** Counts recipients that workers claimed since a time, for all bulk emails, with their results. */
export async function countTaken(
  executor: Executor,
  { since, lately }: { since: Date; lately: Date },
): Promise<{ lately: number; queued: number; ended: number }> {
  const { state, takenAt } = bulkEmailRecipients;
  const [row] = await executor
    .select({
      lately: sql<number>`count(*) filter (where ${gt(takenAt, lately)})`.mapWith(Number),
      queued: sql<number>`count(*) filter (where ${eq(state, 'queued')})`.mapWith(Number),
      ended: sql<number>`count(*) filter (where ${inArray(state, ['sent', 'failed'])})`.mapWith(Number),
    })
    .from(bulkEmailRecipients)
    .where(gt(takenAt, since));
  return row ?? { lately: 0, queued: 0, ended: 0 };
}

/**
 * Claims recipients. A recipient that a worker claimed before `lostBefore` without writing is claimed again. Returns
 * their ids.
 */
export async function takeWaiting(
  tx: Executor,
  { bulkEmailId, at, lostBefore, limit }: { bulkEmailId: string; at: Date; lostBefore: Date; limit: number },
): Promise<string[]> {
  const { userId, state, takenAt } = bulkEmailRecipients;
  const ofThis = eq(bulkEmailRecipients.bulkEmailId, bulkEmailId);
  const next = tx
    .select({ userId })
    .from(bulkEmailRecipients)
    .where(and(ofThis, eq(state, 'waiting'), or(isNull(takenAt), lt(takenAt, lostBefore))))
    .limit(limit);
  const taken = await tx
    .update(bulkEmailRecipients)
    .set({ takenAt: at })
    .where(and(ofThis, inArray(userId, next)))
    .returning({ userId });
  return taken.map((row) => row.userId);
}

/** Moves one person from `waiting`. Whether they were. */
export async function leaveWaiting(
  tx: Executor,
  person: { bulkEmailId: string; userId: string; state: RecipientState; linkHash: string | null },
): Promise<boolean> {
  const { bulkEmailId, userId, state, linkHash } = person;
  const moved = await tx
    .update(bulkEmailRecipients)
    .set({ state, linkHash })
    .where(and(isRecipient(bulkEmailId, userId), eq(bulkEmailRecipients.state, 'waiting')))
    .returning({ userId: bulkEmailRecipients.userId });
  return moved.length > 0;
}

/** Stores the result of one mail. A mail that left in spite of a cancel counts as sent. */
export async function storeOutcome(
  tx: Executor,
  { bulkEmailId, userId, state }: { bulkEmailId: string; userId: string; state: 'sent' | 'failed' },
): Promise<void> {
  await tx.update(bulkEmailRecipients).set({ state }).where(isRecipient(bulkEmailId, userId));
}

export async function cancelRecipients(tx: Executor, bulkEmailId: string, from: 'waiting' | 'queued'): Promise<void> {
  await tx
    .update(bulkEmailRecipients)
    .set({ state: 'cancelled' })
    .where(and(eq(bulkEmailRecipients.bulkEmailId, bulkEmailId), eq(bulkEmailRecipients.state, from)));
}

export async function endBulkEmail(tx: Executor, id: string, state: 'done' | 'cancelled', at: Date): Promise<void> {
  await tx.update(bulkEmails).set({ state, endedAt: at }).where(eq(bulkEmails.id, id));
}

/** Ends bulk emails without a waiting recipient. */
export async function endServed(executor: Executor, at: Date): Promise<void> {
  await executor
    .update(bulkEmails)
    .set({ state: 'done', endedAt: at })
    .where(and(eq(bulkEmails.state, 'sending'), notExists(recipientsIn(executor, ['waiting', 'queued']))));
}

export async function findBulkEmails(executor: Executor, { limit, id }: { limit: number; id?: string }) {
  return executor
    .select()
    .from(bulkEmails)
    .where(id === undefined ? undefined : eq(bulkEmails.id, id))
    .orderBy(desc(bulkEmails.createdAt))
    .limit(limit);
}

/** Number of recipients in each state, for each of these bulk emails. */
export async function countRecipients(executor: Executor, ids: readonly string[]) {
  const { bulkEmailId, state } = bulkEmailRecipients;
  return executor
    .select({ bulkEmailId, state, people: count() })
    .from(bulkEmailRecipients)
    .where(inArray(bulkEmailId, [...ids]))
    .groupBy(bulkEmailId, state);
}

/** Account of a news link, with its choice about news. */
export async function findByNewsLink(executor: Executor, linkHash: string) {
  const [row] = await executor
    .select({ userId: users.id, email: users.email, newsStoppedAt: users.newsStoppedAt })
    .from(bulkEmailRecipients)
    .innerJoin(users, eq(users.id, bulkEmailRecipients.userId))
    .where(eq(bulkEmailRecipients.linkHash, linkHash));
  return row ?? null;
}

function isRecipient(bulkEmailId: string, userId: string) {
  return and(eq(bulkEmailRecipients.bulkEmailId, bulkEmailId), eq(bulkEmailRecipients.userId, userId));
}

/** Stores the choice about news. Mails about the account itself are sent anyway. */
export async function storeNewsChoice(
  tx: Executor,
  choice: { userId: string; wantsNews: boolean; at: Date },
): Promise<void> {
  const { userId, wantsNews, at } = choice;
  await tx
    .update(users)
    .set({ newsStoppedAt: wantsNews ? null : at })
    .where(eq(users.id, userId));
}
