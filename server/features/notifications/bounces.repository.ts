import { and, count, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications, returnKey } from '#server/schema/notifications.tables.ts';

/**
 * Finds the mail that a return path names, preferring the row whose accepted try it is. Null for an unknown mail.
 * Two rows share a key if a letter was written again.
 */
export async function findBounced(
  executor: Executor,
  { key, attempt }: { key: string; attempt: number },
): Promise<{ id: string; userId: string | null; kind: string } | null> {
  const { id, userId, kind, status, attempts, createdAt } = notifications;
  const isThisTry = sql`(${status} = 'accepted' and ${attempts} = ${attempt}) desc`;
  const [row] = await executor
    .select({ id, userId, kind })
    .from(notifications)
    .where(sql`${returnKey(notifications.messageId)} = ${key}`)
    .orderBy(isThisTry, desc(createdAt))
    .limit(1);
  return row ?? null;
}

/** Of the mails that were accepted, or came back, since a moment: how many did what. */
export async function countDayOfMail(executor: Executor, since: Date): Promise<{ bounced: number; accepted: number }> {
  const isMail = eq(notifications.channel, 'email');
  const [bounced] = await executor
    .select({ mails: count() })
    .from(notifications)
    .where(and(isMail, gt(notifications.bouncedAt, since)));
  const [accepted] = await executor
    .select({ mails: count() })
    .from(notifications)
    .where(and(isMail, gt(notifications.acceptedAt, since)));
  return { bounced: bounced?.mails ?? 0, accepted: accepted?.mails ?? 0 };
}

type Bounced = {
  at: Date;
  status: 'bounced' | 'dead' | 'pending';
  nextAttemptAt: Date | null;
  replyCode: number | null;
  refusals: number;
};

/** Takes the acceptance of a mail back: from now on it is as if it had been refused. */
export async function writeBounce(executor: Executor, id: string, bounce: Bounced): Promise<void> {
  const { at, status, nextAttemptAt, replyCode, refusals } = bounce;
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
