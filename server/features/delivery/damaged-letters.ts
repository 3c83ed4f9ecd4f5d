import { and, asc, eq, exists, gt, isNotNull, isNull, not, type SQL, sql } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudits } from '#server/features/audit/record.ts';
import type { LetterId } from '#server/features/messages/letters.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { heldBackLetters, messageDeliveries } from '#server/schema/delivery.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { enqueueDamaged } from './mails/contact-mails.ts';

/** Letters of a release that are damaged when the others leave. */
export type DamagedLetters = { owner: OwnerRow; requestId: string; at: Date; letters: readonly LetterId[] };

/** Keeps damaged letters for their repair, and notifies the trusted contacts. The other letters leave without them. */
export async function keepDamaged(
  app: App,
  tx: Executor,
  { owner, requestId, at, letters }: DamagedLetters,
): Promise<void> {
  const messageIds = [...new Set(letters.map(({ messageId }) => messageId))];
  const contactsTold = await enqueueDamaged(app, tx, { requestId, owner, at }, messageIds.length);
  await damagedInserted(tx, {
    requestId,
    messageIds: letters.map(({ messageId }) => messageId),
    recipientIds: letters.map(({ recipientId }) => recipientId),
    at: at.toISOString(),
  });
  const entry = { userId: owner.id, action: 'delivery.held_back', resource: 'message' };
  await recordAudits(
    app,
    tx,
    messageIds.map((resourceId) => ({ ...entry, resourceId, details: { requestId, contactsTold }, at })),
  );
}

const damagedInserted = statement(sql`
    insert into ${heldBackLetters} (request_id, message_id, recipient_id, held_back_at)
    select ${sql.placeholder('requestId')}::uuid, message_id, recipient_id, ${sql.placeholder('at')}::timestamptz
    from unnest(${sql.placeholder('messageIds')}::uuid[], ${sql.placeholder('recipientIds')}::uuid[])
      as damaged (message_id, recipient_id)
    on conflict do nothing`);

/** True if its release has not queued it since. A letter that was withdrawn before any had left is not queued. */
const isUnqueued: SQL = not(
  sql`exists (
    select 1 from ${messageDeliveries} where ${messageDeliveries.requestId} = ${heldBackLetters.requestId}
      and ${messageDeliveries.messageId} = ${heldBackLetters.messageId}
      and ${messageDeliveries.recipientId} = ${heldBackLetters.recipientId} and ${messageDeliveries.status} <> 'cancelled'
  )`,
);

/** Returns letters that were damaged when this release left, and that it has not queued since. */
export function listDamaged(executor: Executor, ofRequest: string): Promise<LetterId[]> {
  const { messageId, recipientId, requestId } = heldBackLetters;
  return executor
    .select({ messageId, recipientId })
    .from(heldBackLetters)
    .where(and(eq(requestId, ofRequest), isUnqueued));
}

/** Returns a page of open releases with damaged letters, by id. */
export function listReleasesWithDamaged(
  executor: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; userId: string }[]> {
  const { id, userId, releasedAt, closedAt } = releaseRequests;
  const damaged = executor
    .select({ one: sql`1` })
    .from(heldBackLetters)
    .where(and(eq(heldBackLetters.requestId, id), isUnqueued));
  return executor
    .select({ id, userId })
    .from(releaseRequests)
    .where(and(isNull(closedAt), isNotNull(releasedAt), exists(damaged), after === null ? undefined : gt(id, after)))
    .orderBy(asc(id))
    .limit(limit);
}
