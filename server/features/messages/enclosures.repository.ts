import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';

/** As it is stored: caption, transcript and name are sealed. */
export type EnclosureRow = typeof messageEnclosures.$inferSelect;

const enclosuresOfOwner = prepared((executor) =>
  executor
    .select()
    .from(messageEnclosures)
    .where(eq(messageEnclosures.userId, sql.placeholder('userId')))
    .orderBy(asc(messageEnclosures.messageId), asc(messageEnclosures.position))
    .prepare('message_enclosures_of_owner'),
);

/** Of all messages of an owner, by message, in the writer's order. */
export async function enclosuresByMessage(executor: Executor, userId: string): Promise<Map<string, EnclosureRow[]>> {
  const rows = await enclosuresOfOwner(executor).execute({ userId });
  return Map.groupBy(rows, ({ messageId }) => messageId);
}

/** Of these messages. */
export async function enclosuresOfMessages(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, EnclosureRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .select()
    .from(messageEnclosures)
    .where(inArray(messageEnclosures.messageId, [...ids]))
    .orderBy(asc(messageEnclosures.messageId), asc(messageEnclosures.position));
  return Map.groupBy(rows, ({ messageId }) => messageId);
}

/** One of one message, whoever owns it. */
export async function findEnclosure(
  executor: Executor,
  { messageId, id }: { messageId: string; id: string },
): Promise<EnclosureRow | null> {
  const [row] = await executor
    .select()
    .from(messageEnclosures)
    .where(and(eq(messageEnclosures.id, id), eq(messageEnclosures.messageId, messageId)));
  return row ?? null;
}

const rowsPerInsert = 500;

export async function insertEnclosures(tx: Executor, rows: readonly EnclosureRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    await tx.insert(messageEnclosures).values(rows.slice(at, at + rowsPerInsert));
  }
}

export async function updateEnclosure(tx: Executor, id: string, change: Partial<EnclosureRow>): Promise<void> {
  await tx.update(messageEnclosures).set(change).where(eq(messageEnclosures.id, id));
}

export async function deleteEnclosure(tx: Executor, id: string): Promise<void> {
  await tx.delete(messageEnclosures).where(eq(messageEnclosures.id, id));
}

/** Takes all out of a message. Gives where their files lie. */
export async function deleteEnclosures(tx: Executor, messageId: string): Promise<string[]> {
  const gone = await tx
    .delete(messageEnclosures)
    .where(eq(messageEnclosures.messageId, messageId))
    .returning({ path: messageEnclosures.filePath });
  return gone.map(({ path }) => path);
}

/** Counts the places of a message anew from 1, in this order. */
export async function orderEnclosures(tx: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    update ${messageEnclosures} set position = placed.position
    from unnest(${sql.param([...ids])}::uuid[]) with ordinality as placed (id, position)
    where ${messageEnclosures.id} = placed.id and ${messageEnclosures.position} <> placed.position`);
}

/** Its words are as they were; what lies in its envelope is not. */
export async function touchMessage(tx: Executor, id: string, at: Date): Promise<void> {
  await tx.update(messages).set({ updatedAt: at }).where(eq(messages.id, id));
}
