import { and, count, eq, gte, inArray, isNull, max, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications } from '#server/schema/notifications.tables.ts';

const { id, userId, kind, contactId, notice, payload, createdAt, repliedAt, channel, acceptedAt } = notifications;

export async function findAccepted(executor: Executor, mailId: string) {
  const [row] = await executor
    .select({ id, userId, kind, contactId, notice, payload, createdAt })
    .from(notifications)
    .where(and(eq(id, mailId), eq(channel, 'email'), sql`${acceptedAt} is not null`));
  return row ?? null;
}

/** False if an answer to this mail came before. */
export async function storeReply(tx: Executor, mailId: string, at: Date): Promise<boolean> {
  const stored = await tx
    .update(notifications)
    .set({ repliedAt: at })
    .where(and(eq(id, mailId), isNull(repliedAt)))
    .returning({ id });
  return stored.length > 0;
}

/** Time of the newest reply to a mail of these kinds, per owner. */
export async function findNewestReplies(
  executor: Executor,
  { userIds, kinds }: { userIds: readonly string[]; kinds: readonly string[] },
): Promise<Map<string, Date>> {
  if (userIds.length === 0) return new Map();
  const rows = await executor
    .select({ userId, at: max(repliedAt) })
    .from(notifications)
    .where(and(inArray(userId, [...userIds]), inArray(kind, [...kinds]), sql`${repliedAt} is not null`))
    .groupBy(userId);
  return new Map(rows.flatMap(({ userId: owner, at }) => (owner && at ? [[owner, at]] : [])));
}

export async function countWritten(
  executor: Executor,
  { owner, kinds, since }: { owner: string; kinds: readonly string[]; since: Date },
): Promise<number> {
  const [row] = await executor
    .select({ written: count() })
    .from(notifications)
    .where(and(eq(userId, owner), inArray(kind, [...kinds]), gte(createdAt, since)));
  return row?.written ?? 0;
}
