import { and, desc, eq, gt, inArray, type SQL, sql, sum } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messageEnclosures, messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { recentlyDeleted, recentlyDeletedFiles } from '#server/schema/recently-deleted.tables.ts';
import type { DeletedKind } from '#shared/rules/retention.ts';

/** With the bytes of the files that it names. */
export type DeletedRow = typeof recentlyDeleted.$inferSelect & { fileBytes: number };
/** One thing of one owner. */
export type Which = { userId: string; kind: DeletedKind; id: string };

/** The rows of a table that belong to a message, in their order. */
const rowsWith = (table: typeof messageRecipients | typeof messageEnclosures) => sql`coalesce(
  (select jsonb_agg(to_jsonb(${table}) order by ${table.position}) from ${table} where ${table.messageId} = kept.id), '[]')`;
const nothing = sql`'[]'::jsonb`;

/** Table of each kind, the rows that are deleted with it, and its columns with file paths. */
const tables: Record<
  DeletedKind,
  { table: SQL; recipients: SQL; enclosures: SQL; file: { path: string; size: string } | null }
> = {
  message: {
    table: sql`${messages}`,
    recipients: rowsWith(messageRecipients),
    enclosures: rowsWith(messageEnclosures),
    file: { path: 'attachment_path', size: 'attachment_size' },
  },
  document: {
    table: sql`${documents}`,
    recipients: nothing,
    enclosures: nothing,
    file: { path: 'file_path', size: 'file_size' },
  },
  contact: { table: sql`${trustedContacts}`, recipients: nothing, enclosures: nothing, file: null },
};

/** Copies a row with its dependent rows. */
export async function insertDeleted(tx: Executor, { userId, kind, id }: Which, at: Date): Promise<void> {
  const { table, recipients, enclosures, file } = tables[kind];
  await tx.execute(sql`
    with copied as (
      select kept.id, kept.user_id, to_jsonb(kept) as row, ${recipients} as recipients, ${enclosures} as enclosures
      from ${table} as kept where kept.id = ${id}::uuid and kept.user_id = ${userId}::uuid
    ), named as (
      select id, row ->> ${file?.path ?? ''}::text as path, (row ->> ${file?.size ?? ''}::text)::bigint as size from copied
      union all
      select id, enclosed ->> 'file_path', (enclosed ->> 'file_size')::bigint
      from copied, jsonb_array_elements(copied.enclosures) enclosed
    ), kept as (
      insert into ${recentlyDeleted} (id, user_id, kind, row, recipients, enclosures, size_bytes, deleted_at)
      select id, user_id, ${kind}, row, recipients, enclosures,
        (select coalesce(sum(size), 0) from named) + octet_length(row::text) + octet_length(recipients::text)
          + octet_length(enclosures::text), ${at.toISOString()}::timestamptz
      from copied
    )
    insert into ${recentlyDeletedFiles} (file_path, user_id, deleted_id, file_size)
    select path, ${userId}::uuid, id, size from named where path is not null`);
}

/** Leaves of an owner's the newest, as many as fit; the last one in any case. */
export async function leaveNewest(
  tx: Executor,
  userId: string,
  { bytesMax, rowsMax }: { bytesMax: number; rowsMax: number },
): Promise<void> {
  await tx.execute(sql`
    delete from ${recentlyDeleted} where id in (
      select id from (
        select id, row_number() over newest as place,
          sum(size_bytes) over newest as bytes
        from ${recentlyDeleted} where user_id = ${userId}::uuid
        window newest as (order by deleted_at desc, id desc)
      ) as counted
      where place > 1 and (bytes > ${bytesMax} or place > ${rowsMax})
    )`);
}

/** Inserts a row again, with its old id. */
export async function putRowBack(tx: Executor, kept: DeletedRow): Promise<void> {
  await insertRows(tx, tables[kept.kind].table, [kept.row]);
  await insertRows(tx, sql`${messageRecipients}`, kept.recipients);
  await insertRows(tx, sql`${messageEnclosures}`, kept.enclosures);
}

async function insertRows(tx: Executor, table: SQL, rows: readonly Record<string, unknown>[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into ${table} select * from jsonb_populate_recordset(null::${table}, ${JSON.stringify(rows)}::jsonb)`);
}

export async function findDeleted(executor: Executor, which: Which): Promise<DeletedRow | null> {
  const [kept] = await executor.select().from(recentlyDeleted).where(isOne(which));
  return kept ? { ...kept, fileBytes: await fileBytesOf(executor, kept.id) } : null;
}

async function fileBytesOf(executor: Executor, id: string): Promise<number> {
  const [row] = await executor
    .select({ bytes: sum(recentlyDeletedFiles.fileSize).mapWith(Number) })
    .from(recentlyDeletedFiles)
    .where(eq(recentlyDeletedFiles.deletedId, id));
  return row?.bytes ?? 0;
}

/** Returns the paths of its files, and null if the row does not exist. */
export async function removeDeleted(tx: Executor, which: Which): Promise<string[] | null> {
  const ofIt = tx.select({ id: recentlyDeleted.id }).from(recentlyDeleted).where(isOne(which));
  const freed = await tx
    .delete(recentlyDeletedFiles)
    .where(inArray(recentlyDeletedFiles.deletedId, ofIt))
    .returning({ path: recentlyDeletedFiles.filePath });
  const gone = await tx.delete(recentlyDeleted).where(isOne(which)).returning({ id: recentlyDeleted.id });
  return gone.length === 0 ? null : freed.map(({ path }) => path);
}

/** Sealed title of a deleted thing, which is all that a list shows. */
export type DeletedTitle = { id: string; kind: DeletedKind; title: string; deletedAt: Date };

/** Things deleted after `since`, the newest first. */
export function listDeleted(executor: Executor, userId: string, since: Date): Promise<DeletedTitle[]> {
  const { id, kind, row, deletedAt } = recentlyDeleted;
  const title = sql<string>`case ${kind} when 'message' then ${row} ->> 'title' else ${row} ->> 'name' end`;
  return executor
    .select({ id, kind, title, deletedAt })
    .from(recentlyDeleted)
    .where(and(eq(recentlyDeleted.userId, userId), gt(deletedAt, since)))
    .orderBy(desc(deletedAt), desc(id));
}

function isOne({ userId, kind, id }: Which): SQL | undefined {
  return and(eq(recentlyDeleted.id, id), eq(recentlyDeleted.userId, userId), eq(recentlyDeleted.kind, kind));
}
