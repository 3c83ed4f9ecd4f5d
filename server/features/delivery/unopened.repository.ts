import { and, asc, eq, gt, isNull, lte, not, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { isFrozen, releaseRequests } from '#server/schema/release.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { letterKeptForReaderDays } from '#shared/rules/retention.ts';
import type { DeliveryRow } from './delivery.repository.ts';
import { letterFirstReminderDay, letterKeptDays, letterLastReminderDay } from './delivery.rules.ts';

export type Unopened = Pick<DeliveryRow, 'id' | 'userId' | 'linkBeganHealthyMs'>;

type ReminderBounds = {
  /** In healthy time. What began before has no living link, unless it was renewed: and then it needs no reminder. */
  beganAfterMs: number;
  firstBeganUntilMs: number;
  lastBeganUntilMs: number;
  /** Last letter of the batch before. */
  after: Unopened | null;
  limit: number;
};

/** Unopened letters whose next reminder may be due, oldest first, without frozen ones. */
export async function findUnopened(
  executor: Executor,
  { beganAfterMs, firstBeganUntilMs, lastBeganUntilMs, after, limit }: ReminderBounds,
): Promise<Unopened[]> {
  const { id, userId, remindersSent, linkBeganHealthyMs } = messageDeliveries;
  return executor
    .select({ id, userId, linkBeganHealthyMs })
    .from(messageDeliveries)
    .where(
      and(
        eq(messageDeliveries.status, 'accepted'),
        isNull(messageDeliveries.accessedAt),
        isNull(messageDeliveries.answeredAt),
        gt(linkBeganHealthyMs, beganAfterMs),
        not(isFrozen(userId)),
        after
          ? sql`(${linkBeganHealthyMs}, ${id}) > (${after.linkBeganHealthyMs}::bigint, ${after.id}::uuid)`
          : undefined,
        or(
          and(eq(remindersSent, 0), lte(linkBeganHealthyMs, firstBeganUntilMs)),
          and(eq(remindersSent, 1), lte(linkBeganHealthyMs, lastBeganUntilMs)),
        ),
      ),
    )
    .orderBy(asc(linkBeganHealthyMs), asc(id))
    .limit(limit);
}

/** Owners of open releases with unopened letters whose days may have ended, without frozen ones. */
export async function findOverUnopened(
  executor: Executor,
  { beganUntilMs, keptFromMs, at, limit }: { beganUntilMs: number; keptFromMs: number; at: Date; limit: number },
): Promise<{ userId: string; requestId: string }[]> {
  const { userId, requestId, linkBeganHealthyMs, expiresAt, keptUntil, keptFromHealthyMs } = messageDeliveries;
  return executor
    .selectDistinct({ userId, requestId })
    .from(messageDeliveries)
    .innerJoin(releaseRequests, and(eq(releaseRequests.id, requestId), isNull(releaseRequests.closedAt)))
    .where(
      and(
        eq(messageDeliveries.status, 'accepted'),
        isNull(messageDeliveries.accessedAt),
        lte(linkBeganHealthyMs, beganUntilMs),
        lte(expiresAt, at),
        or(isNull(keptUntil), and(lte(keptUntil, at), lte(keptFromHealthyMs, keptFromMs))),
        not(isFrozen(userId)),
      ),
    )
    .limit(limit);
}

/**
 * Milliseconds until the next reminder or end of an unopened letter, at the earliest: an outage makes it later. Leaves
 * out letters that are due now. Null if none follows.
 */
export async function findNextUnopened(
  executor: Executor,
  { healthyMs, at }: { healthyMs: number; at: Date },
): Promise<number | null> {
  const { remindersSent, linkBeganHealthyMs: began, expiresAt, requestId, status } = messageDeliveries;
  const { accessedAt, answeredAt, keptUntil, keptFromHealthyMs } = messageDeliveries;
  const passedMs = sql`${healthyMs}::bigint - ${began}`;
  const untilReminderMs = sql`case
    when ${answeredAt} is not null then null
    when ${remindersSent} = 0 then ${letterFirstReminderDay * dayMs}::bigint - (${passedMs})
    when ${remindersSent} = 1 then ${letterLastReminderDay * dayMs}::bigint - (${passedMs}) end`;
  const untilMs = (end: typeof expiresAt | typeof keptUntil) =>
    sql`ceil(extract(epoch from ${end} - ${at}::timestamptz) * 1000)::bigint`;
  // Without a year for its reader, the last two are null and count for nothing.
  const untilOverMs = sql`greatest(
    ${letterKeptDays * dayMs}::bigint - (${passedMs}), ${untilMs(expiresAt)}, ${untilMs(keptUntil)},
    ${letterKeptForReaderDays * dayMs}::bigint - (${healthyMs}::bigint - ${keptFromHealthyMs}))`;
  const isOpen = sql`${releaseRequests.closedAt} is null`;
  const [next] = await executor
    .select({
      reminderMs: sql<string | null>`min(${untilReminderMs}) filter (where ${untilReminderMs} > 0)`,
      overMs: sql<string | null>`min(${untilOverMs}) filter (where ${isOpen} and ${untilOverMs} > 0)`,
    })
    .from(messageDeliveries)
    .innerJoin(releaseRequests, eq(releaseRequests.id, requestId))
    .where(and(eq(status, 'accepted'), isNull(accessedAt)));
  const waits = [next?.reminderMs, next?.overMs].flatMap((ms) => (ms === null || ms === undefined ? [] : [Number(ms)]));
  return waits.length > 0 ? Math.min(...waits) : null;
}
