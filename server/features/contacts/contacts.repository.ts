import { and, asc, desc, eq, inArray, isNull } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { isSamePersonIn } from '#server/platform/db/mailbox-column.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import type { Standing } from './contacts.rules.ts';

/** A contact as it is stored: name, phone and relationship are sealed. */
export type ContactRow = typeof trustedContacts.$inferSelect;
type NewContact = typeof trustedContacts.$inferInsert;

/** Newest first. */
export function listContactsOfOwner(executor: Executor, userId: string): Promise<ContactRow[]> {
  return executor
    .select()
    .from(trustedContacts)
    .where(eq(trustedContacts.userId, userId))
    .orderBy(desc(trustedContacts.createdAt), desc(trustedContacts.id));
}

/** Stands in statements about everything that was caused by an owner's contacts. */
export function contactIdsOf(executor: Executor, userId: string) {
  return executor.select({ id: trustedContacts.id }).from(trustedContacts).where(eq(trustedContacts.userId, userId));
}

export async function findContact(executor: Executor, userId: string, id: string): Promise<ContactRow | null> {
  const [row] = await executor
    .select()
    .from(trustedContacts)
    .where(and(eq(trustedContacts.id, id), eq(trustedContacts.userId, userId)));
  return row ?? null;
}

/** Contact that an earlier try of the same request created. Exact only under the owner's lock. */
export async function findCreatedAs(executor: Executor, userId: string, changeKey: string): Promise<ContactRow | null> {
  const [row] = await executor
    .select()
    .from(trustedContacts)
    .where(and(eq(trustedContacts.userId, userId), eq(trustedContacts.createdAs, changeKey)));
  return row ?? null;
}

export async function findContactByToken(executor: Executor, tokenHash: string): Promise<ContactRow | null> {
  const [row] = await executor.select().from(trustedContacts).where(eq(trustedContacts.confirmationToken, tokenHash));
  return row ?? null;
}

/** Those of these owners who count in a release, oldest first. */
export function listConfirmedContacts(executor: Executor, userIds: readonly string[]): Promise<ContactRow[]> {
  return executor
    .select()
    .from(trustedContacts)
    .where(and(inArray(trustedContacts.userId, [...userIds]), trustedContacts.isActive, trustedContacts.isConfirmed))
    .orderBy(asc(trustedContacts.createdAt), asc(trustedContacts.id));
}

/** Contacts who have not been asked yet. */
export function listUninvitedContacts(executor: Executor, userId: string): Promise<ContactRow[]> {
  return executor
    .select()
    .from(trustedContacts)
    .where(and(eq(trustedContacts.userId, userId), isNull(trustedContacts.confirmationSentAt)))
    .orderBy(asc(trustedContacts.createdAt), asc(trustedContacts.id));
}

/** Contacts of all owners who accepted and are the person with this address. */
export function listConfirmedByPerson(executor: Executor, email: string): Promise<ContactRow[]> {
  return executor
    .select()
    .from(trustedContacts)
    .where(and(isSamePersonIn(trustedContacts.email, email), trustedContacts.isActive, trustedContacts.isConfirmed))
    .orderBy(asc(trustedContacts.userId));
}

export async function insertContact(tx: Executor, contact: NewContact): Promise<ContactRow> {
  const [row] = await tx.insert(trustedContacts).values(contact).returning();
  if (!row) throw new Error('A contact was written and not given back.');
  return row;
}

/** At most as many as an owner may have. */
export async function insertContacts(tx: Executor, contacts: readonly NewContact[]): Promise<void> {
  if (contacts.length > 0) await tx.insert(trustedContacts).values([...contacts]);
}

export async function updateContactRow(tx: Executor, id: string, change: Partial<NewContact>): Promise<ContactRow> {
  const [row] = await tx.update(trustedContacts).set(change).where(eq(trustedContacts.id, id)).returning();
  if (!row) throw new Error('A contact was changed and not given back.');
  return row;
}

export async function deleteContactRow(tx: Executor, id: string): Promise<void> {
  await tx.delete(trustedContacts).where(eq(trustedContacts.id, id));
}

export function standingOf({ isActive, isConfirmed, declinedAt, confirmationSentAt }: ContactRow): Standing {
  return { isActive, isConfirmed, hasDeclined: declinedAt !== null, wasInvited: confirmationSentAt !== null };
}
