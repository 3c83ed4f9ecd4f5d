import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { messageEnclosures, messageRecipients, messages } from '#server/schema/messages.tables.ts';
import type { DeliveryStatus } from '#shared/rules/deliveries.ts';
import { enclosuresOfMessages } from './enclosures.repository.ts';
import type { EnclosureRow } from './enclosures.rows.ts';
import { ownersColumns, type SealedMessage } from './messages.repository.ts';
import { currentLetter, type RecipientRow } from './recipients.repository.ts';

/** A recipient as lists show them. */
export type ListedRecipient = Pick<RecipientRow, 'id' | 'person' | 'status' | 'openedAt'>;
export type ListedMessage = { row: SealedMessage; recipients: ListedRecipient[]; enclosures: EnclosureRow[] };

/** JSON has no dates. */
type Reader = [id: string, person: string, status: DeliveryStatus | null, openedAt: string | null];
/** A row as the driver returns it. */
type Listed = Omit<SealedMessage, Instant | 'attachmentSize'> & {
  attachmentSize: string | null;
  createdAt: string;
  updatedAt: string;
  deliveredAt: string | null;
  recipients: Reader[];
  hasEnclosures: boolean;
};
type Instant = 'createdAt' | 'updatedAt' | 'deliveredAt';

const columns = Object.entries(ownersColumns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`);

// Pages ask for nothing more often. One statement instead of three, and without the builder, which would look at each of its
// two hundred values on its own, is half of what a list took.
const listed = (others: SQL = sql``) => sql`
    select ${sql.join(columns, sql`, `)}, ${others}
      (
        select coalesce(json_agg(json_build_array(recipient.id, recipient.person, letter.status, letter.accessed_at)
          order by recipient.position), '[]')
        from ${messageRecipients} recipient
          left join lateral ${currentLetter(sql`recipient.id`, sql`recipient.message_id`)} letter on true
        where recipient.message_id = ${messages.id}
      ) as recipients,
      exists (
        select 1 from ${messageEnclosures} enclosure
        where enclosure.message_id = ${messages.id} and enclosure.staging is null
      ) as "hasEnclosures"
    from ${messages} where ${messages.userId} = ${sql.placeholder('userId')}::uuid`;

const newestFirst = sql`order by ${messages.createdAt} desc, ${messages.id} desc`;
const lengthsOfOwner = sql`
    select id, created_at, octet_length(content) + coalesce(octet_length(encrypted_content), 0) as length
    from ${messages} where user_id = ${sql.placeholder('userId')}::uuid order by created_at desc, id desc`;
const idsOfOwner = statement<ListedId>(lengthsOfOwner);
// The lengths decide before a text is read: 51 letters may have 40 MB.
const firstMessages = statement<Listed & { hasMore: boolean }>(sql`
    with newest as (
      select id, row_number() over places as place, sum(length) over places as total
      from (${lengthsOfOwner} limit ${sql.placeholder('countMax')}::int + 1) part
      window places as (order by created_at desc, id desc)
    ), fitting as (
      select id from newest where place = 1
        or (place <= ${sql.placeholder('countMax')}::int and total <= ${sql.placeholder('lengthMax')}::int)
    )
    ${listed(sql`(select count(*) from newest) > (select count(*) from fitting) as "hasMore",`)}
      and ${messages.id} in (select id from fitting) ${newestFirst}`);
const messagesByIds = statement<Listed>(sql`${listed()} and ${messages.id} = any(${sql.placeholder('ids')}::uuid[])`);

/** Most messages, and most bytes of their sealed texts, that one statement reads. */
type ReadMax = { countMax: number; lengthMax: number };

/**
 * The newest messages of an owner that stay within the limits, newest first, each with its recipients and enclosures. The
 * newest one is read even if it alone is too long.
 */
export async function listFirstMessages(
  executor: Executor,
  userId: string,
  max: ReadMax,
): Promise<{ listed: ListedMessage[]; hasMore: boolean }> {
  const found = await firstMessages(executor, { userId, ...max });
  const enclosed = await enclosuresOf(executor, found);
  const listed = found.map(({ hasMore: _, ...row }) => listedMessage(row, enclosed));
  return { listed, hasMore: found[0]?.hasMore ?? false };
}

/** A message, and the length of its sealed texts. */
export type ListedId = { id: string; length: number };

/** Ids of all messages of an owner, newest first. */
export function listMessageIds(executor: Executor, userId: string): Promise<ListedId[]> {
  return idsOfOwner(executor, { userId });
}

/** Lists the messages of an owner with these ids, in the order of the ids. It leaves out missing ones. */
export async function listMessagesByIds(
  executor: Executor,
  userId: string,
  ids: readonly string[],
): Promise<ListedMessage[]> {
  const found = await messagesByIds(executor, { userId, ids });
  const enclosed = await enclosuresOf(executor, found);
  const byId = new Map(found.map((row) => [row.id, listedMessage(row, enclosed)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function enclosuresOf(executor: Executor, found: readonly Listed[]): Promise<Map<string, EnclosureRow[]>> {
  const ids = found.filter(({ hasEnclosures }) => hasEnclosures).map(({ id }) => id);
  return enclosuresOfMessages(executor, ids);
}

function listedMessage(
  { recipients, hasEnclosures: _, ...row }: Listed,
  enclosed: ReadonlyMap<string, EnclosureRow[]>,
): ListedMessage {
  return {
    row: {
      ...row,
      attachmentSize: row.attachmentSize === null ? null : Number(row.attachmentSize),
      deliveredAt: instantOf(row.deliveredAt),
      createdAt: new Date(row.createdAt),
      updatedAt: new Date(row.updatedAt),
    },
    recipients: recipients.map(([id, person, status, openedAt]) => ({
      ...{ id, person, status },
      openedAt: instantOf(openedAt),
    })),
    enclosures: enclosed.get(row.id) ?? [],
  };
}

function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
