import { and, asc, eq, exists, gt, isNotNull, isNull, not, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { heldBackLetters, messageDeliveries } from '#server/schema/delivery.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';

/** A message for one of its people. */
type HeldLetter = Pick<typeof heldBackLetters.$inferSelect, 'messageId' | 'recipientId'>;

const heldBackWritten = statement(sql`
    insert into ${heldBackLetters} (request_id, message_id, recipient_id, held_back_at)
    select ${sql.placeholder('requestId')}::uuid, message_id, recipient_id, ${sql.placeholder('at')}::timestamptz
    from unnest(${sql.placeholder('messageIds')}::uuid[], ${sql.placeholder('recipientIds')}::uuid[])
      as held (message_id, recipient_id)
    on conflict do nothing`);

export async function insertHeldBack(
  tx: Executor,
  { requestId, letters, at }: { requestId: string; letters: readonly HeldLetter[]; at: Date },
): Promise<void> {
  await heldBackWritten(tx, {
    requestId,
    messageIds: letters.map(({ messageId }) => messageId),
    recipientIds: letters.map(({ recipientId }) => recipientId),
    at: at.toISOString(),
  });
}

/** Not put on its way in its release since. What was taken back before anything had left is not on its way. */
const isHeld: SQL = not(
  sql`exists (
    select 1 from ${messageDeliveries} where ${messageDeliveries.requestId} = ${heldBackLetters.requestId}
      and ${messageDeliveries.messageId} = ${heldBackLetters.messageId}
      and ${messageDeliveries.recipientId} = ${heldBackLetters.recipientId} and ${messageDeliveries.status} <> 'cancelled'
  )`,
);

/** The letters that a release held back and that have not gone out in it since. */
export async function listHeldBack(executor: Executor, ofRequest: string): Promise<HeldLetter[]> {
  const { messageId, recipientId, requestId } = heldBackLetters;
  return executor
    .select({ messageId, recipientId })
    .from(heldBackLetters)
    .where(and(eq(requestId, ofRequest), isHeld));
}

/** Releases under way that hold something back, in the order of their ids. */
export function listHoldingBack(
  executor: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; userId: string }[]> {
  const { id, userId, releasedAt, closedAt } = releaseRequests;
  const held = executor
    .select({ one: sql`1` })
    .from(heldBackLetters)
    .where(and(eq(heldBackLetters.requestId, id), isHeld));
  return executor
    .select({ id, userId })
    .from(releaseRequests)
    .where(and(isNull(closedAt), isNotNull(releasedAt), exists(held), after === null ? undefined : gt(id, after)))
    .orderBy(asc(id))
    .limit(limit);
}
