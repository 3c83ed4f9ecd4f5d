import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications, returnKey } from '#server/schema/notifications.tables.ts';
import { laterSeries } from './bounces.rules.ts';

/** `seriesOf` in SQL. */
const seriesInSql = sql`case when ${notifications.bouncedAt} is null then 1
  else 2 + floor(extract(epoch from ${notifications.bouncedAt}))::bigint % ${laterSeries} end`;

/**
 * Finds the mail that a return path names, preferring the row whose accepted series it is. Null for an unknown mail.
 * Two rows share a key if a letter was written again.
 */
export async function findBounced(
  executor: Executor,
  { key, series }: { key: string; series: number | null },
): Promise<{ id: string; userId: string | null; kind: string } | null> {
  const { id, userId, kind, status, createdAt } = notifications;
  const isAsked = series === null ? sql`true` : sql`${seriesInSql} = ${series}`;
  const isThisOne = sql`(${status} = 'accepted' and ${isAsked}) desc`;
  const [row] = await executor
    .select({ id, userId, kind })
    .from(notifications)
    .where(sql`${returnKey(notifications.messageId)} = ${key}`)
    .orderBy(isThisOne, desc(createdAt))
    .limit(1);
  return row ?? null;
}

/** The Message-ID, of these, of the newest mail that is accepted. Null if none is. */
export async function findAcceptedMail(executor: Executor, messageIds: readonly string[]): Promise<string | null> {
  const { messageId, status, acceptedAt } = notifications;
  const [row] = await executor
    .select({ messageId })
    .from(notifications)
    .where(and(inArray(messageId, [...messageIds]), eq(status, 'accepted')))
    .orderBy(desc(acceptedAt))
    .limit(1);
  return row?.messageId ?? null;
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
