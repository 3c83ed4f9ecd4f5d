import { and, asc, eq, gt } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { mailboxColumn } from '#server/platform/db/mailbox-column.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { givenAddresses } from '#server/schema/new-address.tables.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';

export type GivenAddressRow = typeof givenAddresses.$inferSelect;

/** Most addresses that are shown to an owner who came back. */
const addressesShown = 10;

/** Place of a sealed address. */
export const givenAddressContext = (id: string) => ({ table: 'given_addresses', column: 'address', rowId: id });

export async function insertGivenAddress(tx: Executor, row: typeof givenAddresses.$inferInsert): Promise<void> {
  await tx.insert(givenAddresses).values(row);
}

export function listGivenAddresses(
  executor: Executor,
  { requestId, limit }: { requestId: string; limit: number },
): Promise<GivenAddressRow[]> {
  return executor.select().from(givenAddresses).where(eq(givenAddresses.requestId, requestId)).limit(limit);
}

/** True if a contact of this owner has given this mailbox before, in whatever request. */
export async function isMailboxGiven(
  executor: Executor,
  { userId, mailboxKey }: Pick<GivenAddressRow, 'userId' | 'mailboxKey'>,
): Promise<boolean> {
  const given = and(eq(givenAddresses.userId, userId), eq(givenAddresses.mailboxKey, mailboxKey));
  return (await executor.$count(givenAddresses, given)) > 0;
}

/** Returns the addresses that were given after `since`, the oldest first. */
export function listGivenSince(
  executor: Executor,
  { userId, since }: { userId: string; since: Date },
): Promise<GivenAddressRow[]> {
  return executor
    .select()
    .from(givenAddresses)
    .where(and(eq(givenAddresses.userId, userId), gt(givenAddresses.createdAt, since)))
    .orderBy(asc(givenAddresses.createdAt))
    .limit(addressesShown);
}

/** True if the owner named a contact with this mailbox, whether or not the contact has accepted. */
export async function isMailboxOfAnyContact(
  executor: Executor,
  { userId, address }: { userId: string; address: string },
): Promise<boolean> {
  const named = and(eq(trustedContacts.userId, userId), eq(mailboxColumn(trustedContacts.email), mailboxOf(address)));
  return (await executor.$count(trustedContacts, named)) > 0;
}
