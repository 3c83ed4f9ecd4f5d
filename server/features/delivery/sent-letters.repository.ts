import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { messageDeliveries, statusNow } from '#server/schema/delivery.tables.ts';
import { isCurrent, withStatusNow } from './delivery.repository.ts';

/** Numbers and times of all letters of a release, each letter once. */
export type SentFacts = {
  letters: number;
  delivered: number;
  opened: number;
  /** Letters on their way. */
  pending: number;
  /** Time of the first delivery, of the last one, and of the first one that was not taken back. */
  firstAt: Date | null;
  lastAt: Date | null;
  firstKeptAt: Date | null;
};

/** Letters of a release, each once: a refused one is left out if another replaced it. */
const ofRelease = (requestId: string) => and(eq(messageDeliveries.requestId, requestId), isCurrent);

export async function readSentFacts(executor: Executor, requestId: string): Promise<SentFacts> {
  const { deliveredAt, accessedAt } = messageDeliveries;
  const isKept = sql`${statusNow} in ('accepted', 'unopened')`;
  const [row] = await executor
    .select({
      letters: sql<number>`count(*)::int`,
      delivered: sql<number>`count(${deliveredAt})::int`,
      opened: sql<number>`count(${accessedAt})::int`,
      pending: sql<number>`(count(*) filter (where ${statusNow} = 'pending'))::int`,
      firstAt: sql<Date | null>`min(${deliveredAt})`.mapWith(deliveredAt),
      lastAt: sql<Date | null>`max(${deliveredAt})`.mapWith(deliveredAt),
      firstKeptAt: sql<Date | null>`min(${deliveredAt}) filter (where ${isKept})`.mapWith(deliveredAt),
    })
    .from(messageDeliveries)
    .where(ofRelease(requestId));
  return row ?? noLetters;
}

export const noLetters: SentFacts = {
  letters: 0,
  delivered: 0,
  opened: 0,
  pending: 0,
  firstAt: null,
  lastAt: null,
  firstKeptAt: null,
};

export type Page = { from: number; limit: number };

/** Letters of a release, newest first. */
export function listSent(executor: Executor, requestId: string, { from, limit }: Page) {
  return executor
    .select(withStatusNow)
    .from(messageDeliveries)
    .where(ofRelease(requestId))
    .orderBy(desc(messageDeliveries.createdAt), asc(messageDeliveries.id))
    .offset(from)
    .limit(limit);
}

/** Those of these messages that a release sends to several readers. */
export async function listForSeveral(
  executor: Executor,
  requestId: string,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const { messageId } = messageDeliveries;
  const rows = await executor
    .select({ messageId })
    .from(messageDeliveries)
    .where(and(ofRelease(requestId), inArray(messageId, [...messageIds])))
    .groupBy(messageId)
    .having(sql`count(*) > 1`);
  return new Set(rows.map((row) => row.messageId));
}
