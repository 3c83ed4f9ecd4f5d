import { count, eq, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { currentLetter } from './recipients.repository.ts';

/** Counts all messages of an owner, delivered ones too, and the ready ones. */
export async function countMessages(executor: Executor, userId: string): Promise<{ all: number; ready: number }> {
  const ready = sql<number>`count(*) filter (where ${messages.status} = 'ready')::int`;
  const [row] = await executor.select({ all: count(), ready }).from(messages).where(eq(messages.userId, userId));
  return row ?? { all: 0, ready: 0 };
}

/** Messages and letters that a release of an owner would send. */
export type Ready = {
  /** Number of ready messages. */
  messages: number;
  /** Ids of the recipients who do not have their letter yet. */
  letters: string[];
  /** Delivery days of letters with their own day, by the recipient's id. */
  ownDays: Map<string, DeliverOn>;
};

type ReadyRow = { user_id: string; message_id: string; recipient_id: string | null; deliver_on: DeliverOn };

const readyOfOwners = statement<ReadyRow>(sql`
    select ${messages.userId} as user_id, ${messages.id} as message_id, recipient.id as recipient_id,
      ${messages.deliverOn} as deliver_on
    from ${messages} left join ${messageRecipients} recipient on recipient.message_id = ${messages.id}
      and not exists (select 1 from ${messageDeliveries} had where had.message_id = ${messages.id}
        and had.recipient_id = recipient.id and had.status in ('waiting', 'accepted'))
    where ${messages.userId} = any(${sql.placeholder('userIds')}::uuid[]) and ${messages.status} = 'ready'
    order by ${messages.position}, ${messages.createdAt}, ${messages.id}, recipient.position`);

/** Reads the ready messages of each owner, in the writer's order. Owners without any are missing. */
export async function readReady(executor: Executor, userIds: readonly string[]): Promise<Map<string, Ready>> {
  const grouped = Map.groupBy(await readyOfOwners(executor, { userIds }), ({ user_id }) => user_id);
  return new Map(
    [...grouped].map(([userId, rows]) => [
      userId,
      {
        messages: new Set(rows.map(({ message_id }) => message_id)).size,
        letters: rows.flatMap(({ recipient_id }) => recipient_id ?? []),
        ownDays: new Map(
          rows.flatMap(({ recipient_id, deliver_on }) =>
            recipient_id && deliver_on !== null ? [[recipient_id, deliver_on] as const] : [],
          ),
        ),
      },
    ]),
  );
}

const settled = statement(sql`
    update ${messages} set delivered_at = outcome.first_at,
      status = case when outcome.first_at is not null and outcome.is_ended then 'delivered' else 'ready' end
    from (
      select recipient.message_id, min(letter.delivered_at) filter (where letter.status = 'accepted') as first_at,
        bool_and(coalesce(letter.status in ('accepted', 'bounced', 'unopened'), false)) as is_ended
      from ${messageRecipients} recipient
        left join lateral ${currentLetter(sql`recipient.id`, sql`recipient.message_id`)} letter on true
      where recipient.message_id = any(${sql.placeholder('ids')}::uuid[]) group by recipient.message_id
    ) outcome
    where ${messages}.id = outcome.message_id and ${messages}.status in ('ready', 'delivered')
      and (${messages}.delivered_at is distinct from outcome.first_at
        or (${messages}.status = 'delivered') <> (outcome.first_at is not null and outcome.is_ended))`);

/**
 * Sets status and delivery time of these messages from their letters. A message is delivered if every recipient's letter has
 * ended and at least one was accepted, else ready. Its delivery time is the first acceptance that still counts.
 */
export async function settleMessages(tx: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await settled(tx, { ids: [...new Set(ids)] });
}
