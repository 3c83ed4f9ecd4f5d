import { and, asc, desc, eq, gt, inArray, isNotNull, not, or, sql } from 'drizzle-orm';
import { installationChain } from '#server/features/audit/audit.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { decliningReaders, isDeclined, messageDeliveries } from '#server/schema/delivery.tables.ts';
import { releaseAnswers, releaseAsks } from '#server/schema/release.tables.ts';

export type Declining = typeof decliningReaders.$inferSelect;
/** A reader of one owner's letters. */
export type Person = Pick<Declining, 'userId' | 'personKey'>;

const isPerson = ({ userId, personKey }: Person) =>
  and(eq(decliningReaders.userId, userId), eq(decliningReaders.personKey, personKey));

export async function findDeclining(executor: Executor, person: Person): Promise<Declining | null> {
  const [row] = await executor.select().from(decliningReaders).where(isPerson(person));
  return row ?? null;
}

export async function findDecliningById(
  executor: Executor,
  { userId, id }: Pick<Declining, 'userId' | 'id'>,
): Promise<Declining | null> {
  const isReader = and(eq(decliningReaders.userId, userId), eq(decliningReaders.id, id));
  const [row] = await executor.select().from(decliningReaders).where(isReader);
  return row ?? null;
}

/** Stores a reader's word in place of an earlier one. */
export async function storeDeclining(tx: Executor, row: Declining): Promise<void> {
  const { times, declinedAt } = row;
  await tx
    .insert(decliningReaders)
    .values(row)
    .onConflictDoUpdate({
      target: [decliningReaders.userId, decliningReaders.personKey],
      set: { times, declinedAt },
    });
}

/** Readers of an owner who want no more letters and have one that waits, in the order of their words. */
export async function listDeclining(executor: Executor, userId: string): Promise<{ id: string; since: Date }[]> {
  const { id, declinedAt, personKey } = decliningReaders;
  const rows = await executor
    .select({ id, personKey, since: declinedAt })
    .from(decliningReaders)
    .where(and(eq(decliningReaders.userId, userId), isNotNull(declinedAt), hasWaitingLetter))
    .orderBy(asc(declinedAt), asc(id));
  return rows.flatMap((row) => (row.since ? [{ id: row.id, since: row.since }] : []));
}

/**
 * True if this contact had letters of a declining reader come again since then. Only the log of the installation has
 * the time. It is read only for an owner with a reader who once wanted no more.
 */
export async function hasSentAgain(
  executor: Executor,
  { userId, contactId, since }: { userId: string; contactId: string; since: Date },
): Promise<boolean> {
  if ((await executor.$count(decliningReaders, eq(decliningReaders.userId, userId))) === 0) return false;
  const { chain, action, resourceId, createdAt } = auditLogs;
  const isPress = and(eq(chain, installationChain), eq(action, saidAction), eq(resourceId, contactId));
  return (await executor.$count(auditLogs, and(isPress, gt(createdAt, since)))) > 0;
}

/** Action of the log for a word of a reader, or of a contact about a reader. */
export const saidAction = 'reader.said';

const hasWaitingLetter = sql`exists (
  select 1 from message_deliveries
  where message_deliveries.user_id = declining_readers.user_id
    and message_deliveries.person_key = declining_readers.person_key and message_deliveries.status = 'waiting'
)`;

/** True if a letter waits for this person because they want no more. */
export async function hasDeclinedLetter(executor: Executor, { userId, personKey }: Person): Promise<boolean> {
  const isOfPerson = and(eq(messageDeliveries.userId, userId), eq(messageDeliveries.personKey, personKey));
  return (await executor.$count(messageDeliveries, and(isOfPerson, isWaiting, isDeclined))) > 0;
}

const isWaiting = eq(messageDeliveries.status, 'waiting');

/**
 * Messages that stay for people who want no more letters and have one that waits, due after `dueAfter`: for each person
 * one letter that they have, an opened one if possible. Its page, or a new link to it, is their way to take this back.
 */
export function messagesToAskBy(executor: Executor, userId: string, dueAfter = new Date(0)) {
  const { id, messageId, personKey, status, accessedAt, deliveredAt } = messageDeliveries;
  const hasWaiting = sql`exists (select from message_deliveries waiting
    where waiting.user_id = message_deliveries.user_id and waiting.person_key = message_deliveries.person_key
      and waiting.status = 'waiting' and waiting.due_at > ${dueAfter.toISOString()}::timestamptz)`;
  return executor
    .selectDistinctOn([personKey], { messageId })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.userId, userId), inArray(status, ['accepted', 'unopened']), isDeclined, hasWaiting))
    .orderBy(asc(personKey), desc(isNotNull(accessedAt)), desc(deliveredAt), asc(id));
}

/** People for whom a letter waits for a day of its own, with their word about further letters. */
export async function listAwaiting(executor: Executor): Promise<(Person & { word: Declining | null })[]> {
  const { userId, personKey } = messageDeliveries;
  const rows = await executor
    .selectDistinct({ userId, personKey, word: decliningReaders })
    .from(messageDeliveries)
    .leftJoin(decliningReaders, and(eq(decliningReaders.userId, userId), eq(decliningReaders.personKey, personKey)))
    .where(isWaiting);
  return rows;
}

/** Contacts whose link of a request still opens its page after the release: it is alive, or they answered by it. */
export async function listContactsWithPage(executor: Executor, requestId: string): Promise<Set<string>> {
  const { contactId, isRevoked, notice } = releaseAsks;
  const isAnswered = sql`exists (select from ${releaseAnswers}
    where ${releaseAnswers.requestId} = ${releaseAsks.requestId} and ${releaseAnswers.notice} = ${notice})`;
  const rows = await executor
    .selectDistinct({ contactId })
    .from(releaseAsks)
    .where(and(eq(releaseAsks.requestId, requestId), or(not(isRevoked), isAnswered)));
  return new Set(rows.map((row) => row.contactId));
}

/** Makes the owner due for the worker, which sends letters whose day has passed. */
export async function visitSoon(tx: Executor, userId: string, at: Date): Promise<void> {
  const next = sql`least(${users.nextStepAt}, ${at.toISOString()}::timestamptz)`;
  await tx.update(users).set({ nextStepAt: next }).where(eq(users.id, userId));
}
