import {
  and,
  asc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { pictureSizeColumns } from '#server/features/files/picture-size.queries.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';
import { type EnclosureRow, type StoredEnclosure, withOriginals } from './enclosures.rows.ts';

/** Columns of an enclosure that is shown, and of its file. */
const columnsRead = { row: getTableColumns(messageEnclosures), picture: pictureSizeColumns };
const ofFile = eq(fileObjects.path, messageEnclosures.filePath);

const enclosuresOfOwner = prepared((executor) =>
  executor
    .select(columnsRead)
    .from(messageEnclosures)
    .innerJoin(fileObjects, ofFile)
    .where(and(eq(messageEnclosures.userId, sql.placeholder('userId')), isNull(messageEnclosures.staging)))
    .orderBy(asc(messageEnclosures.messageId), asc(messageEnclosures.position))
    .prepare('message_enclosures_of_owner'),
);

/** Lists the enclosures of an owner by message, in the writer's order. */
export async function enclosuresByMessage(executor: Executor, userId: string): Promise<Map<string, EnclosureRow[]>> {
  const rows = await enclosuresOfOwner(executor).execute({ userId });
  return Map.groupBy(withOriginals(rows), ({ messageId }) => messageId);
}

/** Lists the enclosures of these messages by message, in the writer's order. */
export async function enclosuresOfMessages(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, EnclosureRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .select(columnsRead)
    .from(messageEnclosures)
    .innerJoin(fileObjects, ofFile)
    .where(and(inArray(messageEnclosures.messageId, [...ids]), isNull(messageEnclosures.staging)))
    .orderBy(asc(messageEnclosures.messageId), asc(messageEnclosures.position));
  return Map.groupBy(withOriginals(rows), ({ messageId }) => messageId);
}

/** Lists the enclosures of a message, and the staged ones. */
export async function listWithStaged(executor: Executor, messageId: string): Promise<EnclosureRow[]> {
  const rows = await executor
    .select(columnsRead)
    .from(messageEnclosures)
    .innerJoin(fileObjects, ofFile)
    .where(eq(messageEnclosures.messageId, messageId))
    .orderBy(asc(messageEnclosures.position));
  return withOriginals(rows);
}

/** Finds an enclosure or an original of a message. The caller checks the owner. */
export async function findEnclosure(
  executor: Executor,
  { messageId, id }: { messageId: string; id: string },
): Promise<StoredEnclosure | null> {
  const [row] = await executor
    .select()
    .from(messageEnclosures)
    .where(and(eq(messageEnclosures.id, id), eq(messageEnclosures.messageId, messageId)));
  return row ?? null;
}

const rowsPerInsert = 500;

export async function insertEnclosures(tx: Executor, rows: readonly StoredEnclosure[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    await tx.insert(messageEnclosures).values(rows.slice(at, at + rowsPerInsert));
  }
}

export async function updateEnclosureRow(tx: Executor, id: string, change: Partial<StoredEnclosure>): Promise<void> {
  await tx.update(messageEnclosures).set(change).where(eq(messageEnclosures.id, id));
}

/** Deletes an enclosure and its original. Returns the paths of their files. */
export async function deleteEnclosure(tx: Executor, id: string): Promise<string[]> {
  return pathsOf(tx, or(eq(messageEnclosures.id, id), eq(messageEnclosures.originalOf, id)));
}

/** Deletes the original of a picture, if it has one. Returns the path of its file. */
export async function deleteOriginal(tx: Executor, id: string): Promise<string[]> {
  return pathsOf(tx, eq(messageEnclosures.originalOf, id));
}

/** Deletes all enclosures of a message. Returns the paths of their files. */
export async function deleteEnclosures(tx: Executor, messageId: string): Promise<string[]> {
  return pathsOf(tx, eq(messageEnclosures.messageId, messageId));
}

/** Deletes the staged enclosures of a message. Returns the paths of their files. */
export async function deleteStaged(tx: Executor, messageId: string): Promise<string[]> {
  return pathsOf(tx, isStagedBeside(messageId));
}

/** Deletes the staged enclosures of other pages. Returns the paths of their files. */
export async function deleteStagedByOthers(tx: Executor, messageId: string, staging: string): Promise<string[]> {
  return pathsOf(tx, and(isStagedBeside(messageId), ne(messageEnclosures.staging, staging)));
}

/** Deletes the staged enclosures other than `kept` and their originals. Returns the paths of their files. */
export async function deleteStagedBut(tx: Executor, messageId: string, kept: readonly string[]): Promise<string[]> {
  const { id, originalOf } = messageEnclosures;
  return pathsOf(tx, and(isStagedBeside(messageId), notInArray(sql`coalesce(${originalOf}, ${id})`, [...kept])));
}

function isStagedBeside(messageId: string): SQL | undefined {
  return and(eq(messageEnclosures.messageId, messageId), isNotNull(messageEnclosures.staging));
}

/** Turns the staged enclosures of a message into its own, in this order. Returns their number. */
export async function takeStagedIn(tx: Executor, messageId: string, ids: readonly string[]): Promise<number> {
  const taken = await tx
    .update(messageEnclosures)
    .set({ staging: null })
    .where(isStagedBeside(messageId))
    .returning({ originalOf: messageEnclosures.originalOf });
  await orderEnclosures(tx, ids);
  return taken.filter(({ originalOf }) => originalOf === null).length;
}

async function pathsOf(tx: Executor, which: SQL | undefined): Promise<string[]> {
  const gone = await tx.delete(messageEnclosures).where(which).returning({ path: messageEnclosures.filePath });
  return gone.map(({ path }) => path);
}

/** Numbers the enclosures of a message from 1, in this order. */
export async function orderEnclosures(tx: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    update ${messageEnclosures} set position = placed.position
    from unnest(${sql.param([...ids])}::uuid[]) with ordinality as placed (id, position)
    where ${messageEnclosures.id} = placed.id and ${messageEnclosures.position} <> placed.position`);
}

/** Marks a message as changed, because its enclosures changed. */
export async function touchMessage(tx: Executor, id: string, at: Date): Promise<void> {
  await tx.update(messages).set({ updatedAt: at }).where(eq(messages.id, id));
}
