import { and, asc, desc, eq, gt, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import type { SealContext } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { integrityEvents, integrityRounds } from '#server/schema/integrity.tables.ts';
import type { FileTable, SealedTable } from './sealed-tables.ts';

/** Place (table, column, row) of a value that no longer matches its seal, or of a file that is missing. */
export type BrokenPlace = typeof integrityEvents.$inferSelect;
/** Progress of the regular check of all sealed data, in the table's only row. */
export type Round = typeof integrityRounds.$inferSelect;

/** Records a broken place. Returns true if it was not recorded yet. */
export async function noteBroken(tx: Executor, { table, column, rowId }: SealContext, at: Date): Promise<boolean> {
  const [row] = await tx
    .insert(integrityEvents)
    .values({ tableName: table, columnName: column, rowId, firstSeenAt: at, lastSeenAt: at })
    .onConflictDoUpdate({
      target: [integrityEvents.tableName, integrityEvents.columnName, integrityEvents.rowId],
      set: { lastSeenAt: at, times: sql`${integrityEvents.times} + 1` },
    })
    .returning({ times: integrityEvents.times });
  return row?.times === 1;
}

/** Returns broken places, the last seen first. */
export function listBroken(executor: Executor, limit: number): Promise<BrokenPlace[]> {
  return executor.select().from(integrityEvents).orderBy(desc(integrityEvents.lastSeenAt)).limit(limit);
}

/** Deletes broken places that a complete check since `startedAt` did not find broken again. Returns their number. */
export async function clearRepaired(tx: Executor, startedAt: Date): Promise<number> {
  const { rowCount } = await tx.delete(integrityEvents).where(lt(integrityEvents.lastSeenAt, startedAt));
  return rowCount ?? 0;
}

/**
 * Claims the round in progress, or starts one if the last started before `beginBefore`. Null if no round is due or
 * another worker has it.
 */
export async function claimRound(
  executor: Executor,
  { at, leaseUntil, beginBefore }: { at: Date; leaseUntil: Date; beginBefore: Date },
): Promise<Round | null> {
  // Makes the table's only row at the first call, as a round that ended long ago.
  await executor
    .insert(integrityRounds)
    .values({ startedAt: new Date(0), finishedAt: new Date(0) })
    .onConflictDoNothing();
  await executor
    .update(integrityRounds)
    .set({ startedAt: at, finishedAt: null, afterUserId: null, leaseUntil: null, values: 0, files: 0, broken: 0 })
    .where(and(isNotNull(integrityRounds.finishedAt), lt(integrityRounds.startedAt, beginBefore)));
  const free = or(isNull(integrityRounds.leaseUntil), lt(integrityRounds.leaseUntil, at));
  const [round] = await executor
    .update(integrityRounds)
    .set({ leaseUntil })
    .where(and(isNull(integrityRounds.finishedAt), free))
    .returning();
  return round ?? null;
}

/** Returns the round in progress, or the last one. Null before the first. */
export async function readRound(executor: Executor): Promise<Round | null> {
  const [round] = await executor.select().from(integrityRounds);
  return round ?? null;
}

/** Stores the progress of the round. The table has one row. */
export async function saveRound(
  tx: Executor,
  round: Pick<Round, 'afterUserId' | 'values' | 'files' | 'broken' | 'leaseUntil' | 'finishedAt'>,
): Promise<void> {
  const { afterUserId, values, files, broken, leaseUntil, finishedAt } = round;
  await tx.update(integrityRounds).set({ afterUserId, values, files, broken, leaseUntil, finishedAt });
}

/** Returns the next owner by id, with the wrapped vault key. A missing key is null, and counts as damage. */
export async function nextOwner(executor: Executor, afterUserId: string) {
  const [owner] = await executor
    .select({ userId: users.id, keyVersion: vaultKeys.keyVersion, wrappedKey: vaultKeys.wrappedKey })
    .from(users)
    .leftJoin(vaultKeys, eq(vaultKeys.userId, users.id))
    .where(gt(users.id, afterUserId))
    .orderBy(asc(users.id))
    .limit(1);
  return owner ?? null;
}

export type SealedRow = { id: string } & Record<string, string | Buffer | null>;

/** Returns the rows after `afterId` in the order of their ids, with their sealed columns. If the table has owners, only `userId`'s. */
export async function listSealedRows(
  executor: Executor,
  sealed: SealedTable,
  { userId, afterId, limit }: { userId: string | null; afterId: string; limit: number },
): Promise<SealedRow[]> {
  const columns = sql.join(
    sealed.columns.map((column) => sql.identifier(column)),
    sql`, `,
  );
  const id = sql.identifier(sealed.id ?? 'id');
  // `ownedBy` is an SQL condition of ours, in which `?` is the owner's id.
  const [before, after] = sealed.ownedBy?.split('?') ?? [];
  const ofOwner = before === undefined ? sql`` : sql`${sql.raw(before)}${userId}::uuid${sql.raw(after ?? '')} and`;
  const { rows } = await executor.execute<SealedRow>(sql`
    select ${id} as id, ${columns} from ${sql.identifier(sealed.table)}
    where ${ofOwner} ${id} > ${afterId}::uuid order by ${id} limit ${limit}`);
  return rows;
}

/** True if the row still has this value. A row that changed since it was read is no sign of damage. */
export async function stillHolds(
  executor: Executor,
  sealed: SealedTable,
  { column, rowId, value }: { column: string; rowId: string; value: string | Buffer },
): Promise<boolean> {
  const id = sql.identifier(sealed.id ?? 'id');
  const { rows } = await executor.execute(sql`
    select 1 from ${sql.identifier(sealed.table)} where ${id} = ${rowId}::uuid and ${sql.identifier(column)} = ${value}`);
  return rows.length > 0;
}

/** True if a row still names the file. If the row was deleted a moment ago, a missing file is correct. */
export async function isReferredTo(
  executor: Executor,
  { table, pathColumn }: FileTable,
  path: string,
): Promise<boolean> {
  const { rows } = await executor.execute(
    sql`select 1 from ${sql.identifier(table)} where ${sql.identifier(pathColumn)} = ${path}`,
  );
  return rows.length > 0;
}

/** Returns the files that an owner's rows name. */
export async function listFilesOf(
  executor: Executor,
  { table, pathColumn, sizeColumn }: FileTable,
  userId: string,
): Promise<{ path: string; sizeBytes: number }[]> {
  const { rows } = await executor.execute<{ path: string; size: string }>(sql`
    select ${sql.identifier(pathColumn)} as path, ${sql.identifier(sizeColumn)} as size
    from ${sql.identifier(table)} where user_id = ${userId}::uuid and ${sql.identifier(pathColumn)} is not null`);
  return rows.map(({ path, size }) => ({ path, sizeBytes: Number(size) }));
}
