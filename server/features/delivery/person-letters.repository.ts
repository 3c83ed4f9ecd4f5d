import { and, asc, count, eq, getTableColumns, inArray, isNotNull, ne, notInArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import type { DeliveryRow } from './delivery.repository.ts';

const isTakenBack = inArray(messageDeliveries.status, ['cancelled', 'withdrawn']);
const isReplaced = sql`exists (
  select 1 from ${messageDeliveries} newer where newer.replaces_delivery_id = ${messageDeliveries}.id
)`;

/** Letters to one person are in the writer's order everywhere. */
const writersOrder = [asc(messages.position), asc(messages.createdAt), asc(messages.id), asc(messageDeliveries.id)];

/** Letters that one person has received in one release, in the writer's order, without withdrawn or redirected ones. */
export function lettersOfPerson(executor: Executor, { requestId, personKey }: DeliveryRow): Promise<DeliveryRow[]> {
  return executor
    .select(getTableColumns(messageDeliveries))
    .from(messageDeliveries)
    .innerJoin(messages, eq(messages.id, messageDeliveries.messageId))
    .where(
      and(
        eq(messageDeliveries.requestId, requestId),
        eq(messageDeliveries.personKey, personKey),
        sql`not ${isTakenBack} and not ${isReplaced}`,
        ne(messageDeliveries.status, 'waiting'),
      ),
    )
    .orderBy(...writersOrder);
}

/** The letters that one mail brings, in the writer's order. */
export function lettersOfMail(executor: Executor, mailId: string): Promise<DeliveryRow[]> {
  return executor
    .select(getTableColumns(messageDeliveries))
    .from(messageDeliveries)
    .innerJoin(messages, eq(messages.id, messageDeliveries.messageId))
    .where(eq(messageDeliveries.mailId, mailId))
    .orderBy(...writersOrder);
}

/** Letters of a mail, locked for this transaction in a fixed order. The caller locks their owner before. */
export function lockMail(tx: Executor, mailId: string): Promise<DeliveryRow[]> {
  return tx
    .select()
    .from(messageDeliveries)
    .where(eq(messageDeliveries.mailId, mailId))
    .orderBy(asc(messageDeliveries.id))
    .for('update');
}

/** The mails that went, or are to go, to these people in a release; without these. */
export async function mailsToPersons(
  executor: Executor,
  { requestId, personKeys, without }: { requestId: string; personKeys: readonly string[]; without: readonly string[] },
): Promise<Pick<DeliveryRow, 'personKey' | 'mailId'>[]> {
  if (personKeys.length === 0) return [];
  const { personKey, mailId } = messageDeliveries;
  return executor
    .selectDistinct({ personKey, mailId })
    .from(messageDeliveries)
    .where(
      and(
        eq(messageDeliveries.requestId, requestId),
        inArray(personKey, [...personKeys]),
        notInArray(mailId, [...without]),
        // No mail brings them yet.
        ne(messageDeliveries.status, 'waiting'),
      ),
    );
}

/** Moves the letters of mails that were withdrawn unsent to another mail. */
export async function moveToMail(tx: Executor, from: readonly string[], to: string): Promise<void> {
  await tx
    .update(messageDeliveries)
    .set({ mailId: to })
    .where(inArray(messageDeliveries.mailId, [...from]));
}

/** Number of letters of each mail that ask for a passphrase. A mail without any is left out. */
export async function sealedOfMails(executor: Executor, mailIds: readonly string[]): Promise<Map<string, number>> {
  if (mailIds.length === 0) return new Map();
  const { mailId, messageId } = messageDeliveries;
  const rows = await executor
    .select({ mailId, sealed: count() })
    .from(messageDeliveries)
    .innerJoin(messages, eq(messages.id, messageId))
    .where(and(inArray(mailId, [...mailIds]), isNotNull(messages.encryptedContent)))
    .groupBy(mailId);
  return new Map(rows.map((row) => [row.mailId, row.sealed]));
}
