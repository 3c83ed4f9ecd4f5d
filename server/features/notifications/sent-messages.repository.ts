import { and, asc, eq, gte, inArray, notInArray } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications, wordChannels } from '#server/schema/notifications.tables.ts';

export type SentMessagesOf = { userId: string; kinds: readonly string[]; since: Date; isFailedLeftOut?: boolean };
/** `at` is the earliest it may leave. */
export type SentMessage = { kind: string; subjectId: string | null; at: Date };

/** See `sentMessagesOf`. */
export function listSentMessages(
  executor: Executor,
  { userId, kinds, since, isFailedLeftOut }: SentMessagesOf,
): Promise<SentMessage[]> {
  const leftOut: (typeof notifications.$inferSelect)['status'][] = isFailedLeftOut
    ? ['cancelled', 'bounced', 'dead']
    : ['cancelled'];
  return executor
    .select({ kind: notifications.kind, subjectId: notifications.subjectId, at: notifications.notBefore })
    .from(notifications)
    .where(
      and(
        eq(notifications.userId, userId),
        inArray(notifications.kind, [...kinds]),
        inArray(notifications.channel, wordChannels),
        notInArray(notifications.status, leftOut),
        gte(notifications.notBefore, since),
      ),
    )
    .orderBy(asc(notifications.notBefore), asc(notifications.id));
}
