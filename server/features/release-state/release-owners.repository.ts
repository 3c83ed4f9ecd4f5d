import { and, asc, eq, lte, min, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared, statement } from '#server/platform/db/prepared.ts';
import { users } from '#server/schema/accounts.tables.ts';

const dueOwnersTaken = prepared((executor) =>
  executor
    .select({ id: users.id })
    .from(users)
    .where(lte(users.nextStepAt, sql.placeholder('now')))
    .orderBy(asc(users.nextStepAt), asc(users.id))
    .limit(sql.placeholder('limit'))
    .for('update', { skipLocked: true })
    .prepare('release_due_owners_taken'),
);

/**
 * Locks owners whose next step may be due until the end of the transaction, longest waiting first. Skips owners whom
 * another worker or a request has locked.
 */
export async function takeDueOwners(tx: Executor, now: Date, limit: number): Promise<string[]> {
  const rows = await dueOwnersTaken(tx).execute({ now, limit });
  return rows.map(({ id }) => id);
}

/** Locks one owner who is still due. False if another worker has the lock or has already taken the step. */
export async function takeDueOwner(tx: Executor, userId: string, now: Date): Promise<boolean> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), lte(users.nextStepAt, now)))
    .for('update', { skipLocked: true });
  return rows.length === 1;
}

export async function findNextStepAt(executor: Executor): Promise<Date | null> {
  const [row] = await executor.select({ at: min(users.nextStepAt) }).from(users);
  return row?.at ?? null;
}

export async function setNextStepAt(tx: Executor, userId: string, nextStepAt: Date): Promise<void> {
  await moveOwners(tx, new Map([[userId, nextStepAt]]));
}

const ownersMoved = statement(sql`
    update users set next_step_at = moved.next_step_at
    from unnest(${sql.placeholder('userIds')}::uuid[], ${sql.placeholder('nextStepsAt')}::timestamptz[])
      as moved (user_id, next_step_at)
    where users.id = moved.user_id`);

/** Sets the time of the next visit of each owner. */
export async function moveOwners(tx: Executor, nextSteps: ReadonlyMap<string, Date>): Promise<void> {
  if (nextSteps.size === 0) return;
  await ownersMoved(tx, {
    userIds: [...nextSteps.keys()],
    nextStepsAt: [...nextSteps.values()].map((at) => at.toISOString()),
  });
}

const restartsNoted = statement(sql`
    update users set release_restart_notice = noted.notice
    from unnest(${sql.placeholder('userIds')}::uuid[], ${sql.placeholder('notices')}::integer[])
      as noted (user_id, notice)
    where users.id = noted.user_id`);

/** Records the notice that these owners' letters wait for after a restore. Null if they no longer wait. */
export async function noteRestarts(tx: Executor, restarts: ReadonlyMap<string, number | null>): Promise<void> {
  if (restarts.size === 0) return;
  await restartsNoted(tx, { userIds: [...restarts.keys()], notices: [...restarts.values()] });
}

/** Records that every window of an owner restarted after a restore. */
export async function noteRestarted(tx: Executor, userId: string, restoredAt: Date): Promise<void> {
  await tx.update(users).set({ releaseBegunAnewAt: restoredAt }).where(eq(users.id, userId));
}

export type OwnerSettings = Partial<
  Pick<
    typeof users.$inferInsert,
    | 'releaseMethod'
    | 'inactivityDays'
    | 'releaseQuorum'
    | 'releaseWaitingDays'
    | 'releaseAnswerDays'
    | 'releaseFrozenAt'
    | 'releaseResumedAt'
    | 'releaseResumedHealthyMs'
    | 'awayUntil'
  >
>;

export async function updateOwnerSettings(tx: Executor, userId: string, settings: OwnerSettings): Promise<void> {
  await tx.update(users).set(settings).where(eq(users.id, userId));
}
