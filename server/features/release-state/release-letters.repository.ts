import { and, eq, inArray, notInArray, sql } from 'drizzle-orm';
import type { Letter, WaitingLetter } from '#server/features/release-core/model.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { heldBackLetters, messageDeliveries } from '#server/schema/delivery.tables.ts';

/**
 * The letters of releases by whom of a message they are for: each once, by the newest of its deliveries. One that was
 * damaged, and held back, has none.
 */
export async function lettersOf(executor: Executor, requestIds: readonly string[]): Promise<Map<string, Letter[]>> {
  if (requestIds.length === 0) return new Map();
  const sent = await executor
    .select({
      requestId: messageDeliveries.requestId,
      id: messageDeliveries.recipientId,
      status: messageDeliveries.status,
      accessedAt: messageDeliveries.accessedAt,
      dueAt: messageDeliveries.dueAt,
    })
    .from(messageDeliveries)
    .where(
      and(
        inArray(messageDeliveries.requestId, [...requestIds]),
        // One that was undone before anything had left has been put on its way again since, or waits for that.
        notInArray(messageDeliveries.status, ['cancelled', 'withdrawn']),
        sql`not exists (select 1 from ${messageDeliveries} newer where newer.replaces_delivery_id = message_deliveries.id)`,
      ),
    )
    .orderBy(messageDeliveries.createdAt, messageDeliveries.id);
  const held = await executor
    .select({ requestId: heldBackLetters.requestId, id: heldBackLetters.recipientId })
    .from(heldBackLetters)
    .where(inArray(heldBackLetters.requestId, [...requestIds]));
  const known = new Set(sent.map(({ requestId, id }) => `${requestId} ${id}`));
  const letters = [
    ...sent.map(({ requestId, ...row }) => ({ requestId, letter: letterOf(row) })),
    ...held
      .filter(({ requestId, id }) => !known.has(`${requestId} ${id}`))
      .map(({ requestId, id }) => ({ requestId, letter: { id, state: 'failed' as const } })),
  ];
  const grouped = Map.groupBy(letters, ({ requestId }) => requestId);
  return new Map([...grouped].map(([id, all]) => [id, all.map(({ letter }) => letter)]));
}

type LetterRow = Pick<typeof messageDeliveries.$inferSelect, 'id' | 'status' | 'accessedAt' | 'dueAt'>;

function letterOf({ id, status, accessedAt, dueAt }: LetterRow): Letter {
  if (status === 'waiting') return { id, state: 'later', dueAtMs: dueAt?.getTime() ?? 0 };
  if (accessedAt) return { id, state: 'opened' };
  if (status === 'pending') return { id, state: 'waiting' };
  return { id, state: status === 'accepted' || status === 'unopened' ? 'accepted' : 'failed' };
}

/** Letters that wait for a day of their own, by owner, but for those of releases that are open. */
export async function waitingLettersOf(
  executor: Executor,
  userIds: readonly string[],
  open: readonly string[],
): Promise<Map<string, WaitingLetter[]>> {
  const rows = await executor
    .select({ userId: messageDeliveries.userId, id: messageDeliveries.recipientId, dueAt: messageDeliveries.dueAt })
    .from(messageDeliveries)
    .where(
      and(
        inArray(messageDeliveries.userId, [...userIds]),
        eq(messageDeliveries.status, 'waiting'),
        notInArray(messageDeliveries.requestId, [...open]),
      ),
    )
    .orderBy(messageDeliveries.createdAt, messageDeliveries.id);
  const grouped = Map.groupBy(rows, ({ userId }) => userId);
  return new Map(
    [...grouped].map(([userId, all]) => [
      userId,
      all.map(({ id, dueAt }) => ({ id, state: 'later', dueAtMs: dueAt?.getTime() ?? 0 })),
    ]),
  );
}
