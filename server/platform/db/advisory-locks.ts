import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Executor } from './database.ts';

/** Numbers that nothing else in the database uses, each for one thing that processes must not do at the same time. */
export const advisoryLocks = {
  migration: 7_230_002,
  /** Held by a backup, so that there is one at a time. */
  backup: 7_230_003,
  /** Held by a backup, and shared by everybody who removes files: a backup finds every file its rows refer to. */
  fileRemoval: 7_230_004,
} as const;

/** True if files may be removed until the end of this transaction. While a backup runs they may not. */
export async function mayRemoveFiles(tx: Executor): Promise<boolean> {
  const { rows } = await tx.execute<{ may: boolean }>(
    sql`select pg_try_advisory_xact_lock_shared(${advisoryLocks.fileRemoval}) as may`,
  );
  return rows[0]?.may === true;
}

type Holder = { pid: number; application: string; address: string | null; since: Date | null };

/** Holder of such a lock as a clause to append to a sentence; empty if the lock is free by now. */
export async function findHolder(client: pg.ClientBase, lock: number): Promise<string> {
  const { rows } = await client.query<Holder>(
    `select locks.pid, activity.application_name as application, host(activity.client_addr) as address,
       activity.xact_start as since
     from pg_locks locks join pg_stat_activity activity using (pid)
     where locks.locktype = 'advisory' and locks.granted and locks.classid = 0 and locks.objid = $1::oid
       and locks.database = (select oid from pg_database where datname = current_database())
     limit 1`,
    [lock],
  );
  const [holder] = rows;
  if (!holder) return '';
  const from = holder.address === null ? '' : ` from ${holder.address}`;
  const since = holder.since === null ? '' : `, since ${holder.since.toISOString()}`;
  return ` (process ${holder.pid} of PostgreSQL, “${holder.application}”${from}${since})`;
}
