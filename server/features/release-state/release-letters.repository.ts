import { and, eq, inArray, notInArray, sql } from 'drizzle-orm';
import type { Letter, WaitingLetter } from '#server/features/release-core/model.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { heldBackLetters, isDeclined, messageDeliveries } from '#server/schema/delivery.tables.ts';

/**
 * Returns the letters of releases with their messages, by the newest delivery to each recipient. A damaged letter has no
 * delivery.
 */
export async function lettersOf(
  executor: Executor,
  requestIds: readonly string[],
): Promise<Map<string, { letter: Letter; messageId: string }[]>> {
  if (requestIds.length === 0) return new Map();
  const sent = await executor
    .select({
      requestId: messageDeliveries.requestId,
      id: messageDeliveries.recipientId,
      messageId: messageDeliveries.messageId,
      status: messageDeliveries.status,
      accessedAt: messageDeliveries.accessedAt,
      dueAt: messageDeliveries.dueAt,
      isDeclined,
    })
    .from(messageDeliveries)
    .where(
      and(
        inArray(messageDeliveries.requestId, [...requestIds]),
        // A letter that was undone before any had left has been queued again since, or waits for that.
        notInArray(messageDeliveries.status, ['cancelled', 'withdrawn']),
        sql`not exists (select 1 from ${messageDeliveries} newer where newer.replaces_delivery_id = message_deliveries.id)`,
      ),
    )
    .orderBy(messageDeliveries.createdAt, messageDeliveries.id);
  const damaged = await executor
    .select({
      requestId: heldBackLetters.requestId,
      id: heldBackLetters.recipientId,
      messageId: heldBackLetters.messageId,
    })
    .from(heldBackLetters)
    .where(inArray(heldBackLetters.requestId, [...requestIds]));
  const known = new Set(sent.map(({ requestId, id }) => `${requestId} ${id}`));
  const letters = [
    ...sent.map(({ requestId, messageId, ...row }) => ({ requestId, messageId, letter: letterOf(row) })),
    ...damaged
      .filter(({ requestId, id }) => !known.has(`${requestId} ${id}`))
      .map(({ requestId, messageId, id }) => ({ requestId, messageId, letter: { id, state: 'failed' as const } })),
  ];
  return Map.groupBy(letters, ({ requestId }) => requestId);
}

type WaitingRow = Pick<typeof messageDeliveries.$inferSelect, 'id' | 'dueAt'> & { isDeclined: boolean };
type LetterRow = WaitingRow & Pick<typeof messageDeliveries.$inferSelect, 'status' | 'accessedAt'>;

function waitingLetterOf({ id, dueAt, isDeclined: isRefused }: WaitingRow): WaitingLetter {
  return { id, state: 'later', dueAtMs: dueAt?.getTime() ?? 0, ...(isRefused ? { isDeclined: true } : {}) };
}

function letterOf(row: LetterRow): Letter {
  const { id, status, accessedAt } = row;
  if (status === 'waiting') return waitingLetterOf(row);
  if (accessedAt) return { id, state: 'opened' };
  if (status === 'pending') return { id, state: 'waiting' };
  return { id, state: status === 'accepted' || status === 'unopened' ? 'accepted' : 'failed' };
}

/** Returns letters that wait for a day of their own, by owner, without letters of open releases. */
export async function waitingLettersOf(
  executor: Executor,
  userIds: readonly string[],
  open: readonly string[],
): Promise<Map<string, WaitingLetter[]>> {
  const rows = await executor
    .select({
      userId: messageDeliveries.userId,
      id: messageDeliveries.recipientId,
      dueAt: messageDeliveries.dueAt,
      isDeclined,
    })
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
  return new Map([...grouped].map(([userId, all]) => [userId, all.map(waitingLetterOf)]));
}
