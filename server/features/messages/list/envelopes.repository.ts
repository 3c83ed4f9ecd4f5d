import { sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import type { MessageCategory, MessageStatus } from '#shared/rules/categories.ts';
import { shelfMax } from '#shared/rules/letters/envelopes.ts';
import type { SealedRecipient } from '../recipients.sealing.ts';

/** Facts that decide the place of a letter in the list. The title is sealed. */
export type EnvelopeRow = {
  id: string;
  title: string;
  category: MessageCategory;
  status: MessageStatus;
  position: number;
  createdAt: Date;
};

const rowsOfOwner = statement<Omit<EnvelopeRow, 'createdAt'> & { created_at: string }>(sql`
    select id, title, category, status, position, created_at from ${messages}
    where user_id = ${sql.placeholder('userId')}::uuid order by created_at desc, id desc`);

/** All messages of an owner without their texts, newest first. */
export async function listEnvelopeRows(executor: Executor, userId: string): Promise<EnvelopeRow[]> {
  const rows = await rowsOfOwner(executor, { userId });
  return rows.map(({ created_at, ...row }) => ({ ...row, createdAt: new Date(created_at) }));
}

const peopleOfOwner = statement<SealedRecipient & { message_id: string }>(sql`
    select recipient.message_id, recipient.id, recipient.person
    from ${messageRecipients} recipient join ${messages} on ${messages.id} = recipient.message_id
    where ${messages.userId} = ${sql.placeholder('userId')}::uuid
    order by recipient.message_id, recipient.position`);

/** The sealed recipients of all messages of an owner, by message, in the writer's order. */
export async function listPeople(executor: Executor, userId: string): Promise<Map<string, SealedRecipient[]>> {
  return Map.groupBy(await peopleOfOwner(executor, { userId }), ({ message_id }) => message_id);
}

const contentsByIds = statement<{ id: string; content: string }>(sql`
    select id, content from ${messages} where id = any(${sql.placeholder('ids')}::uuid[])`);

/** The sealed texts of these messages, in no order. */
export function listContents(executor: Executor, ids: readonly string[]) {
  return contentsByIds(executor, { ids });
}

const summaryOfOwner = statement<{ all: number; does_wait: boolean; shelf: string[] }>(sql`
    select (select count(*)::int from ${messages} where user_id = ${sql.placeholder('userId')}::uuid) as all,
      exists (
        select 1 from ${messageDeliveries} where user_id = ${sql.placeholder('userId')}::uuid and status = 'waiting'
      ) as does_wait,
      array(
        select id::text from ${messages} where user_id = ${sql.placeholder('userId')}::uuid
        order by array_position(array['ready', 'draft', 'delivered'], status), created_at desc, id desc limit ${sql.raw(`${shelfMax}`)}
      ) as shelf`);

/** Number of an owner's messages, and the ids of those on the shelf: ready ones first, then drafts, then delivered ones. */
export async function summarise(executor: Executor, userId: string) {
  const [row] = await summaryOfOwner(executor, { userId });
  return { all: row?.all ?? 0, doesWait: row?.does_wait ?? false, shelfIds: row?.shelf ?? [] };
}

const latestPeople = statement<SealedRecipient>(sql`
    select recipient.id, recipient.person
    from ${messages} join ${messageRecipients} recipient on recipient.message_id = ${messages.id}
    where ${messages.userId} = ${sql.placeholder('userId')}::uuid
    order by ${messages.createdAt} desc, ${messages.id} desc, recipient.position`);

/** The sealed recipients of all messages of an owner, those of the newest message first. */
export function listLatestPeople(executor: Executor, userId: string): Promise<SealedRecipient[]> {
  return latestPeople(executor, { userId });
}
