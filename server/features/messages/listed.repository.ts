import { sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { messageEnclosures, messageRecipients, messages } from '#server/schema/messages.tables.ts';
import type { DeliveryStatus } from '#shared/rules/deliveries.ts';
import { enclosuresByMessage } from './enclosures.repository.ts';
import type { EnclosureRow } from './enclosures.rows.ts';
import { ownersColumns, type SealedMessage } from './messages.repository.ts';
import { currentLetter, type RecipientRow } from './recipients.repository.ts';

/** Whoever a message is for, as lists show them. */
export type ListedRecipient = Pick<RecipientRow, 'id' | 'person' | 'status' | 'openedAt'>;
export type ListedMessage = { row: SealedMessage; recipients: ListedRecipient[]; enclosures: EnclosureRow[] };

/** JSON has no dates. */
type Reader = [id: string, person: string, status: DeliveryStatus | null, openedAt: string | null];
/** As the driver gives it. */
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
const messagesOfOwner = statement<Listed>(sql`
    select ${sql.join(columns, sql`, `)},
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
    from ${messages} where ${messages.userId} = ${sql.placeholder('userId')}::uuid
    order by ${messages.createdAt} desc, ${messages.id} desc`);

/** All messages of an owner, newest first, each with those it is for and with what lies in its envelope. */
export async function listMessagesOfOwner(executor: Executor, userId: string): Promise<ListedMessage[]> {
  const found = await messagesOfOwner(executor, { userId });
  const enclosed = found.some(({ hasEnclosures }) => hasEnclosures)
    ? await enclosuresByMessage(executor, userId)
    : null;
  return found.map(({ recipients, hasEnclosures: _, ...row }) => ({
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
    enclosures: enclosed?.get(row.id) ?? [],
  }));
}

function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
