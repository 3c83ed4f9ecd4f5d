import { and, asc, eq, gte, inArray, ne } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications } from '#server/schema/notifications.tables.ts';

export type SentMessagesOf = { userId: string; kinds: readonly string[]; since: Date };
/** `at` is the earliest it may leave. */
export type SentMessage = { kind: string; subjectId: string | null; at: Date };

/** See `sentMessagesOf`. */
export function listSentMessages(executor: Executor, { userId, kinds, since }: SentMessagesOf): Promise<SentMessage[]> {
  return executor
    .select({ kind: notifications.kind, subjectId: notifications.subjectId, at: notifications.notBefore })
    .from(notifications)
    .where(
      and(
        eq(notifications.userId, userId),
        inArray(notifications.kind, [...kinds]),
        ne(notifications.status, 'cancelled'),
        gte(notifications.notBefore, since),
      ),
    )
    .orderBy(asc(notifications.notBefore), asc(notifications.id));
}
