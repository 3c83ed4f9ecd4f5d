import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications } from '#server/schema/notifications.tables.ts';

/** Whom a mail is about, and of what kind it is; null for an id that is none of ours any more. */
export async function findBounced(
  executor: Executor,
  id: string,
): Promise<{ userId: string | null; kind: string } | null> {
  const { userId, kind } = notifications;
  const [row] = await executor.select({ userId, kind }).from(notifications).where(eq(notifications.id, id));
  return row ?? null;
}

/** The mail that carries one of these Message-IDs, if it is accepted; the newest one. */
export async function findAcceptedMail(executor: Executor, messageIds: readonly string[]): Promise<string | null> {
  const { id, messageId, status, acceptedAt } = notifications;
  const [row] = await executor
    .select({ id })
    .from(notifications)
    .where(and(inArray(messageId, [...messageIds]), eq(status, 'accepted')))
    .orderBy(desc(acceptedAt))
    .limit(1);
  return row?.id ?? null;
}

type Bounced = {
  at: Date;
  status: 'bounced' | 'dead' | 'pending';
  nextAttemptAt: Date | null;
  replyCode: number | null;
  refusals: number;
  troubledAt: Date | undefined;
};

/** Takes the acceptance of a mail back: from now on it is as if it had been refused. */
export async function writeBounce(executor: Executor, id: string, bounce: Bounced): Promise<void> {
  const { at, status, nextAttemptAt, replyCode, refusals, troubledAt } = bounce;
  await executor
    .update(notifications)
    .set({
      status,
      bouncedAt: at,
      acceptedAt: null,
      endedAt: status === 'pending' ? null : at,
      nextAttemptAt,
      leaseUntil: null,
      lastReplyCode: replyCode,
      refusals,
      ...(troubledAt && { troubledAt }),
    })
    .where(eq(notifications.id, id));
}

/** Whether one of these very messages counts as accepted. */
export async function wasAccepted(executor: Executor, dedupeKeys: readonly string[]): Promise<boolean> {
  const rows = await executor
    .select({ one: sql`1` })
    .from(notifications)
    .where(and(inArray(notifications.dedupeKey, [...dedupeKeys]), eq(notifications.status, 'accepted')))
    .limit(1);
  return rows.length > 0;
}
