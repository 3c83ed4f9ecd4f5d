import { and, desc, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications } from '#server/schema/notifications.tables.ts';

export type NotificationRow = typeof notifications.$inferSelect;

/** Newest first, for the outbox page. */
export async function listNewest(
  executor: Executor,
  { channels, limit, offset }: { channels: NotificationRow['channel'][]; limit: number; offset: number },
): Promise<NotificationRow[]> {
  return executor
    .select()
    .from(notifications)
    .where(and(isNotNull(notifications.payload), inArray(notifications.channel, channels)))
    .orderBy(desc(notifications.createdAt), desc(notifications.id))
    .limit(limit)
    .offset(offset);
}

export async function findNotification(executor: Executor, id: string): Promise<NotificationRow | null> {
  const [row] = await executor.select().from(notifications).where(eq(notifications.id, id));
  return row ?? null;
}
