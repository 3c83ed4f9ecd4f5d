import { and, asc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import type { SealContext } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { integrityEvents, integrityRounds } from '#server/schema/integrity.tables.ts';
import type { SealedPlace } from './integrity.places.ts';

export type BrokenPlace = typeof integrityEvents.$inferSelect;
export type Round = typeof integrityRounds.$inferSelect;

/** Records a broken value; true if it was not recorded yet. */
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

/** The newest first. */
export function listBroken(executor: Executor, limit: number): Promise<BrokenPlace[]> {
  return executor.select().from(integrityEvents).orderBy(sql`${integrityEvents.lastSeenAt} desc`).limit(limit);
}

/** Clears values that a complete round since `startedAt` did not find broken. Returns their number. */
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
  await executor
    .insert(integrityRounds)
    .values({ startedAt: new Date(0), finishedAt: new Date(0) })
    .onConflictDoNothing();
  await executor
    .update(integrityRounds)
    .set({ startedAt: at, finishedAt: null, afterUserId: null, leaseUntil: null, values: 0, files: 0, broken: 0 })
    .where(
      sql`${integrityRounds.finishedAt} is not null and ${integrityRounds.startedAt} < ${beginBefore.toISOString()}::timestamptz`,
    );
  const free = or(isNull(integrityRounds.leaseUntil), lt(integrityRounds.leaseUntil, at));
  const [round] = await executor
    .update(integrityRounds)
    .set({ leaseUntil })
    .where(and(isNull(integrityRounds.finishedAt), free))
    .returning();
  return round ?? null;
}

export async function readRound(executor: Executor): Promise<Round | null> {
  const [round] = await executor.select().from(integrityRounds);
  return round ?? null;
}

export async function saveRound(
  tx: Executor,
  round: Pick<Round, 'afterUserId' | 'values' | 'files' | 'broken' | 'leaseUntil' | 'finishedAt'>,
): Promise<void> {
  const { afterUserId, values, files, broken, leaseUntil, finishedAt } = round;
  await tx.update(integrityRounds).set({ afterUserId, values, files, broken, leaseUntil, finishedAt });
}

/** Next owner by id, with the vault key; every owner should have one. */
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

/** Rows of a table in the order of their ids, after one of them. If the table has owners, only rows of one owner. */
export async function listSealedRows(
  executor: Executor,
  place: SealedPlace,
  { userId, afterId, limit }: { userId: string | null; afterId: string; limit: number },
): Promise<SealedRow[]> {
  const columns = sql.join(
    place.columns.map((column) => sql.identifier(column)),
    sql`, `,
  );
  const id = sql.identifier(place.id ?? 'id');
  const [before, after] = place.ownedBy?.split('?') ?? [];
  const ofOwner = before === undefined ? sql`` : sql`${sql.raw(before)}${userId}::uuid${sql.raw(after ?? '')} and`;
  const { rows } = await executor.execute<SealedRow>(sql`
    select ${id} as id, ${columns} from ${sql.identifier(place.table)}
    where ${ofOwner} ${id} > ${afterId}::uuid order by ${id} limit ${limit}`);
  return rows;
}

/** True if the row still has this value. A row that changed since it was read is no sign of damage. */
export async function stillHolds(
  executor: Executor,
  place: SealedPlace,
  { column, rowId, value }: { column: string; rowId: string; value: string | Buffer },
): Promise<boolean> {
  const id = sql.identifier(place.id ?? 'id');
  const { rows } = await executor.execute(sql`
    select 1 from ${sql.identifier(place.table)} where ${id} = ${rowId}::uuid and ${sql.identifier(column)} = ${value}`);
  return rows.length > 0;
}

/** True if a row still refers to the file. If the row was deleted a moment ago, a missing file is correct. */
export async function isReferredTo(
  executor: Executor,
  place: { table: string; path: string },
  path: string,
): Promise<boolean> {
  const { rows } = await executor.execute(
    sql`select 1 from ${sql.identifier(place.table)} where ${sql.identifier(place.path)} = ${path}`,
  );
  return rows.length > 0;
}

export async function listFilesOf(
  executor: Executor,
  place: { table: string; path: string; size: string },
  userId: string,
): Promise<{ path: string; sizeBytes: number }[]> {
  const { rows } = await executor.execute<{ path: string; size: string }>(sql`
    select ${sql.identifier(place.path)} as path, ${sql.identifier(place.size)} as size
    from ${sql.identifier(place.table)} where user_id = ${userId}::uuid and ${sql.identifier(place.path)} is not null`);
  return rows.map(({ path, size }) => ({ path, sizeBytes: Number(size) }));
}
