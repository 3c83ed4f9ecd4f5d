import { and, asc, desc, eq, gt, inArray, isNotNull, not, or, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { decliningReaders, isDeclined, messageDeliveries } from '#server/schema/delivery.tables.ts';
import { releaseAnswers, releaseAsks } from '#server/schema/release.tables.ts';

export type Declining = typeof decliningReaders.$inferSelect;
/** One key of a reader of one owner's letters. */
export type Person = Pick<Declining, 'userId' | 'personKey'>;
/** A reader of one owner's letters, by every key. Contacts can give one person further addresses. */
export type Reader = { userId: string; personKeys: readonly string[] };

const isReader = ({ userId, personKeys }: Reader) =>
  and(eq(decliningReaders.userId, userId), inArray(decliningReaders.personKey, [...personKeys]));

/** Stored words of a reader, by key. */
export async function findDeclinings(executor: Executor, reader: Reader): Promise<Map<string, Declining>> {
  const rows = await executor.select().from(decliningReaders).where(isReader(reader));
  return new Map(rows.map((row) => [row.personKey, row]));
}

/** True if a reader with one of these keys wants no more letters. */
export async function wantsNoMore(executor: Executor, reader: Reader): Promise<boolean> {
  return (await executor.$count(decliningReaders, and(isReader(reader), isNotNull(decliningReaders.declinedAt)))) > 0;
}

export async function findDecliningById(
  executor: Executor,
  { userId, id }: Pick<Declining, 'userId' | 'id'>,
): Promise<Declining | null> {
  const isRow = and(eq(decliningReaders.userId, userId), eq(decliningReaders.id, id));
  const [row] = await executor.select().from(decliningReaders).where(isRow);
  return row ?? null;
}

/** Adds the other keys of the same person: those of letters that contacts sent to another address. */
export async function readerOf(executor: Executor, { userId, personKeys: known }: Reader): Promise<Reader> {
  const { sayKey, personKey } = messageDeliveries;
  const rows = await executor
    .selectDistinct({ sayKey, personKey })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.userId, userId), isLetterOf(known)));
  return { userId, personKeys: [...new Set([...known, ...rows.flatMap((row) => [row.sayKey, row.personKey])])] };
}

const isLetterOf = (personKeys: readonly string[]) =>
  or(inArray(messageDeliveries.sayKey, [...personKeys]), inArray(messageDeliveries.personKey, [...personKeys]));

/** Stores a reader's word in place of an earlier one. */
export async function storeDeclining(tx: Executor, row: Declining): Promise<void> {
  const { times, declinedAt, takenBackAt, takenBackBy } = row;
  await tx
    .insert(decliningReaders)
    .values(row)
    .onConflictDoUpdate({
      target: [decliningReaders.userId, decliningReaders.personKey],
      set: { times, declinedAt, takenBackAt, takenBackBy },
    });
}

/**
 * Readers of an owner who want no more letters and have one that waits, in the order of their words. A reader with
 * several keys is one.
 */
export async function listDeclining(executor: Executor, userId: string): Promise<{ id: string; since: Date }[]> {
  const { id, declinedAt } = decliningReaders;
  const { sayKey, personKey } = messageDeliveries;
  const rows = await executor
    .selectDistinct({ id, since: declinedAt, sayKey })
    .from(decliningReaders)
    .innerJoin(
      messageDeliveries,
      and(
        eq(messageDeliveries.userId, decliningReaders.userId),
        or(eq(sayKey, decliningReaders.personKey), eq(personKey, decliningReaders.personKey)),
        isWaiting,
      ),
    )
    .where(and(eq(decliningReaders.userId, userId), isNotNull(declinedAt)))
    .orderBy(asc(declinedAt), asc(id));
  const firsts = [...Map.groupBy(rows, (row) => row.sayKey).values()].flatMap(([first]) => first ?? []);
  const sinceOf = new Map(firsts.map((row) => [row.id, row.since]));
  return [...sinceOf].flatMap(([reader, since]) => (since ? [{ id: reader, since }] : []));
}

/** True if this contact had letters of a declining reader come again since then. */
export async function hasSentAgain(
  executor: Executor,
  { userId, contactId, since }: { userId: string; contactId: string; since: Date },
): Promise<boolean> {
  const { userId: owner, takenBackBy, takenBackAt } = decliningReaders;
  const isPress = and(eq(owner, userId), eq(takenBackBy, contactId), gt(takenBackAt, since));
  return (await executor.$count(decliningReaders, isPress)) > 0;
}

/** True if a letter waits for this reader because they want no more. */
export async function hasDeclinedLetter(executor: Executor, { userId, personKeys }: Reader): Promise<boolean> {
  const isOfReader = and(eq(messageDeliveries.userId, userId), isLetterOf(personKeys));
  return (await executor.$count(messageDeliveries, and(isOfReader, isWaiting, isDeclined))) > 0;
}

const isWaiting = eq(messageDeliveries.status, 'waiting');

/**
 * Messages that stay for people who want no more letters and have one that waits, due after `dueAfter`: for each person
 * one letter that they have, an opened one if possible. Its page, or a new link to it, is their way to take this back.
 */
export function messagesToAskBy(executor: Executor, userId: string, dueAfter = new Date(0)) {
  const { id, messageId, sayKey, status, accessedAt, deliveredAt } = messageDeliveries;
  const hasWaiting = sql`exists (select from message_deliveries waiting
    where waiting.user_id = message_deliveries.user_id and waiting.say_key = message_deliveries.say_key
      and waiting.status = 'waiting' and waiting.due_at > ${dueAfter.toISOString()}::timestamptz)`;
  return executor
    .selectDistinctOn([sayKey], { messageId })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.userId, userId), inArray(status, ['accepted', 'unopened']), isDeclined, hasWaiting))
    .orderBy(asc(sayKey), desc(isNotNull(accessedAt)), desc(deliveredAt), asc(id));
}

/** Keys of people for whom a letter waits, with their stored word about further letters: at most `limit` after one. */
export async function listAwaiting(
  executor: Executor,
  { after, limit }: { after: Person | null; limit: number },
): Promise<(Person & { stored: Declining | null })[]> {
  const { userId, sayKey, personKey } = messageDeliveries;
  const keysIn = (key: PgColumn) =>
    executor
      .select({ userId, key: sql<string>`${key}`.as('reader_key') })
      .from(messageDeliveries)
      .where(isWaiting);
  const awaiting = keysIn(sayKey).union(keysIn(personKey)).as('awaiting');
  return executor
    .select({ userId: awaiting.userId, personKey: awaiting.key, stored: decliningReaders })
    .from(awaiting)
    .leftJoin(
      decliningReaders,
      and(eq(decliningReaders.userId, awaiting.userId), eq(decliningReaders.personKey, awaiting.key)),
    )
    .where(after ? sql`(${awaiting.userId}, ${awaiting.key}) > (${after.userId}::uuid, ${after.personKey})` : undefined)
    .orderBy(asc(awaiting.userId), asc(awaiting.key))
    .limit(limit);
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
