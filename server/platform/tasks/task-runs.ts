import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#server/platform/db/database.ts';
import { taskRuns } from './task-runs.tables.ts';

export type TaskRun = typeof taskRuns.$inferSelect;

/** After a failed run, the next one begins after this time at the latest. */
const retryAfterMs = 3_600_000;

/** Time of the next run. Null means now: the task has never run. */
export function nextRunAt(run: TaskRun | undefined, everyMs: number): Date | null {
  if (!run) return null;
  // A lease that has expired belongs to a process that has ended during the run.
  if (run.leaseUntil) return run.leaseUntil;
  return new Date(run.begunAt.getTime() + (hasFailed(run) ? Math.min(everyMs, retryAfterMs) : everyMs));
}

/** True if the last run failed. */
export function hasFailed({ failedAt, endedAt }: Pick<TaskRun, 'failedAt' | 'endedAt'>): boolean {
  return failedAt !== null && (endedAt === null || failedAt > endedAt);
}

/** True if a process runs the task under a lease. */
export function isLeased(run: Pick<TaskRun, 'leaseUntil'> | undefined, now: Date): boolean {
  return run?.leaseUntil != null && run.leaseUntil > now;
}

export async function readRuns(db: Database): Promise<Map<string, TaskRun>> {
  const runs = await db.select().from(taskRuns);
  return new Map(runs.map((run) => [run.name, run]));
}

/** Takes the lease of a task, unless another process has begun it after `last`. */
export async function claimRun(
  db: Database,
  { name, last, at, leaseUntil }: { name: string; last: TaskRun | undefined; at: Date; leaseUntil: Date },
): Promise<boolean> {
  const values = { name, begunAt: at, leaseUntil };
  const claimed = last
    ? await db
        .update(taskRuns)
        .set(values)
        .where(and(eq(taskRuns.name, name), eq(taskRuns.begunAt, last.begunAt)))
        .returning({ name: taskRuns.name })
    : await db.insert(taskRuns).values(values).onConflictDoNothing().returning({ name: taskRuns.name });
  return claimed.length === 1;
}

/** Keeps the lease of a run for longer. */
export async function renewRun(db: Database, of: { name: string; begunAt: Date; leaseUntil: Date }): Promise<void> {
  const { name, begunAt, leaseUntil } = of;
  await db
    .update(taskRuns)
    .set({ leaseUntil })
    .where(and(eq(taskRuns.name, name), eq(taskRuns.begunAt, begunAt), isNotNull(taskRuns.leaseUntil)));
}

type End = { name: string; begunAt: Date; at: Date; isCut: boolean; failure: string | null };

/**
 * Records the end of a run and returns its lease. A run that was cut short is due immediately. If another process has taken the
 * lease since, nothing changes.
 */
export async function endRun(db: Database, { name, begunAt, at, isCut, failure }: End): Promise<void> {
  const end = failure === null ? { endedAt: at } : { failedAt: at, failure };
  await db
    .update(taskRuns)
    .set(isCut ? { leaseUntil: at } : { ...end, leaseUntil: null })
    .where(and(eq(taskRuns.name, name), eq(taskRuns.begunAt, begunAt)));
}

/** Stores the last runs of tasks that need no lease. */
export async function saveRuns(db: Database, runs: readonly TaskRun[]): Promise<void> {
  if (runs.length === 0) return;
  await db
    .insert(taskRuns)
    .values([...runs])
    .onConflictDoUpdate({
      target: taskRuns.name,
      set: {
        begunAt: sql`greatest(excluded.begun_at, ${taskRuns.begunAt})`,
        endedAt: sql`greatest(excluded.ended_at, ${taskRuns.endedAt})`,
        failedAt: sql`coalesce(excluded.failed_at, ${taskRuns.failedAt})`,
        failure: sql`coalesce(excluded.failure, ${taskRuns.failure})`,
      },
    });
}
