import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { recentlyDeleted } from '#server/schema/recently-deleted.tables.ts';
import type { DeletedKind } from '#shared/rules/retention.ts';

export type DeletedRow = typeof recentlyDeleted.$inferSelect;
/** One thing of one owner. */
export type Which = { userId: string; kind: DeletedKind; id: string };

const noFile = sql`null::text as file_path, null::bigint as file_size`;

/** Where rows of a kind stand, what goes with them, and the file that one names. */
const tables: Record<DeletedKind, { table: SQL; recipients: SQL; file: SQL }> = {
  message: {
    table: sql`${messages}`,
    recipients: sql`coalesce((select jsonb_agg(to_jsonb(${messageRecipients}) order by ${messageRecipients.position})
      from ${messageRecipients} where ${messageRecipients.messageId} = kept.id), '[]')`,
    file: sql`kept.attachment_path as file_path, kept.attachment_size as file_size`,
  },
  document: { table: sql`${documents}`, recipients: sql`'[]'::jsonb`, file: sql`kept.file_path, kept.file_size` },
  contact: { table: sql`${trustedContacts}`, recipients: sql`'[]'::jsonb`, file: noFile },
};

/** Copies a row as it stands, with what goes with it. */
export async function insertDeleted(tx: Executor, { userId, kind, id }: Which, at: Date): Promise<void> {
  const { table, recipients, file } = tables[kind];
  await tx.execute(sql`
    with copied as (
      select kept.id, kept.user_id, to_jsonb(kept) as row, ${recipients} as recipients, ${file}
      from ${table} as kept where kept.id = ${id}::uuid and kept.user_id = ${userId}::uuid
    )
    insert into ${recentlyDeleted} (id, user_id, kind, row, recipients, file_path, file_size, size_bytes, deleted_at)
    select id, user_id, ${kind}, row, recipients, file_path, file_size,
      coalesce(file_size, 0) + octet_length(row::text) + octet_length(recipients::text), ${at.toISOString()}::timestamptz
    from copied`);
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

/** Puts a row back where it stood, with the id that it had. */
export async function putRowBack(tx: Executor, kept: DeletedRow): Promise<void> {
  const { table } = tables[kept.kind];
  await tx.execute(sql`
    insert into ${table} select * from jsonb_populate_record(null::${table}, ${JSON.stringify(kept.row)}::jsonb)`);
  if (kept.recipients.length > 0) {
    await tx.execute(sql`
      insert into ${messageRecipients}
      select * from jsonb_populate_recordset(null::${messageRecipients}, ${JSON.stringify(kept.recipients)}::jsonb)`);
  }
}

export async function findDeleted(executor: Executor, which: Which): Promise<DeletedRow | null> {
  const [kept] = await executor.select().from(recentlyDeleted).where(isOne(which));
  return kept ?? null;
}

/** Gives the path of the file that it named, null where it named none, and undefined where there was no such row. */
export async function removeDeleted(tx: Executor, which: Which): Promise<string | null | undefined> {
  const [gone] = await tx.delete(recentlyDeleted).where(isOne(which)).returning({ path: recentlyDeleted.filePath });
  return gone?.path;
}

/** What a deleted thing is called by, sealed: all of it that a list shows. */
export type DeletedTitle = { id: string; kind: DeletedKind; title: string; deletedAt: Date };

/** What was deleted after `since`, the newest first. */
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
