import { and, eq, isNull, lte, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { backupState } from '#server/schema/service-health.tables.ts';

export type BackupStateRow = typeof backupState.$inferSelect;

/** State of this place. The stored state of another place is reset. */
export async function openBackupState(executor: Executor, place: string): Promise<BackupStateRow> {
  const known = { practisedAt: null, lettersOpened: null };
  const unknown = {
    ...known,
    triedAt: null,
    madeAt: null,
    name: null,
    sizeBytes: null,
    failingSince: null,
    reason: null,
  };
  await executor
    .insert(backupState)
    .values({ place })
    .onConflictDoUpdate({
      target: backupState.id,
      set: { place, ...unknown },
      setWhere: sql`${backupState.place} <> ${place}`,
    });
  const [row] = await executor.select().from(backupState);
  if (!row) throw new Error('There is no row of backup_state.');
  return row;
}

/** Records a try; false if another process has begun one since `before`. */
export async function claimTry(executor: Executor, before: Date | null, at: Date): Promise<boolean> {
  const isUnclaimed = before ? lte(backupState.triedAt, before) : isNull(backupState.triedAt);
  const claimed = await executor
    .update(backupState)
    .set({ triedAt: at })
    .where(and(eq(backupState.id, 1), isUnclaimed))
    .returning({ id: backupState.id });
  return claimed.length > 0;
}

/** Records a new backup. A failure stays recorded until `noteGood`, because the backup was not read back yet. */
export async function noteMade(
  executor: Executor,
  made: { madeAt: Date; name: string; sizeBytes: number | null },
): Promise<void> {
  await executor.update(backupState).set(made);
}

/** All of this night went well. */
export async function noteGood(executor: Executor): Promise<void> {
  await executor.update(backupState).set({ failingSince: null, reason: null });
}

export async function noteFailed(executor: Executor, at: Date, reason: string): Promise<void> {
  const failingSince = sql`coalesce(${backupState.failingSince}, ${at.toISOString()}::timestamptz)`;
  await executor.update(backupState).set({ failingSince, reason });
}

export async function notePractised(executor: Executor, practisedAt: Date, lettersOpened: number): Promise<void> {
  await executor.update(backupState).set({ practisedAt, lettersOpened });
}
