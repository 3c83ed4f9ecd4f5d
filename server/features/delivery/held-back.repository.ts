import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { preparedSql } from '#server/platform/db/prepared.ts';
import { heldBackLetters, messageDeliveries } from '#server/schema/delivery.tables.ts';

const heldBackWritten = preparedSql(
  'held_back_letters_insert',
  sql`
    insert into ${heldBackLetters} (cycle_id, message_id, held_back_at)
    select ${sql.placeholder('cycleId')}::uuid, message_id, ${sql.placeholder('at')}::timestamptz
    from unnest(${sql.placeholder('messageIds')}::uuid[]) as held (message_id)
    on conflict do nothing`,
);

export async function insertHeldBack(
  tx: Executor,
  { cycleId, messageIds, at }: { cycleId: string; messageIds: readonly string[]; at: Date },
): Promise<void> {
  await heldBackWritten(tx, { cycleId, messageIds, at: at.toISOString() });
}

/** The messages that a cycle held back and that have not gone out in it since. */
export async function listHeldBack(executor: Executor, cycleId: string): Promise<string[]> {
  const { messageId } = heldBackLetters;
  const hasGone = sql`exists (
    select 1 from ${messageDeliveries} where ${messageDeliveries.cycleId} = ${heldBackLetters.cycleId}
      and ${messageDeliveries.messageId} = ${heldBackLetters.messageId}
  )`;
  const rows = await executor
    .select({ messageId })
    .from(heldBackLetters)
    .where(and(eq(heldBackLetters.cycleId, cycleId), sql`not ${hasGone}`));
  return rows.map((row) => row.messageId);
}
