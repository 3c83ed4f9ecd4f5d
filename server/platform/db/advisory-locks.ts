import { sql } from 'drizzle-orm';
import type { Executor } from './database.ts';

/** Numbers that nothing else in the database uses, each for one thing that processes must not do at the same time. */
export const advisoryLocks = {
  migration: 7_230_002,
  /** Held by a backup, so that there is one at a time. */
  backup: 7_230_003,
  /** Held by a backup, and shared by everybody who removes files: a backup finds every file its rows refer to. */
  fileRemoval: 7_230_004,
} as const;

/** Whether files may be removed until the end of this transaction. While a backup runs they may not. */
export async function mayRemoveFiles(tx: Executor): Promise<boolean> {
  const { rows } = await tx.execute<{ may: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(${advisoryLocks.fileRemoval}) as may`,
  );
  return rows[0]?.may === true;
}
