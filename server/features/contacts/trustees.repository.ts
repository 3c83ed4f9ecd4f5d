import { and, desc, eq, inArray, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { isSamePersonIn } from '#server/platform/db/mailbox-column.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts, trusteeRelationships } from '#server/schema/contacts.tables.ts';

type Relationship = { trusteeUserId: string; ownerUserId: string; trustedContactId: string };

/**
 * Takes the rows of an owner and of whoever is or could be trustee for one of their contacts, in the order of their
 * ids: two people who name each other would otherwise wait for one another for ever.
 */
export async function lockOwnerAndTrustees(
  tx: Executor,
  { userId, contactId, email }: { userId: string; contactId: string; email: string },
): Promise<void> {
  const trusteesOfContact = tx
    .select({ id: trusteeRelationships.trusteeUserId })
    .from(trusteeRelationships)
    .where(eq(trusteeRelationships.trustedContactId, contactId));
  await tx
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, userId), isSamePersonIn(users.email, email), inArray(users.id, trusteesOfContact)))
    .orderBy(users.id)
    .for('update');
}

export type VerifiedAccount = { id: string; email: string; isMailboxProven: boolean };

/** Accounts in one mailbox that can be chosen from; more than a person has. */
const accountsOfMailboxMax = 20;

/** Verified accounts of the person with this address, proven ones first, then oldest first. */
export function listVerifiedAccounts(tx: Executor, email: string): Promise<VerifiedAccount[]> {
  return tx
    .select({
      id: users.id,
      email: users.email,
      isMailboxProven: sql<boolean>`${users.mailboxProvenAt} is not null`,
    })
    .from(users)
    .where(and(isSamePersonIn(users.email, email), users.emailVerified))
    .orderBy(sql`${users.mailboxProvenAt} is null`, users.createdAt, users.id)
    .limit(accountsOfMailboxMax);
}

/** Starts the relationship, or starts it again. Gives whether this account was never the trustee before. */
export async function storeRelationship(tx: Executor, relationship: Relationship, at: Date): Promise<boolean> {
  const { trusteeUserId } = relationship;
  const { trusteeUserId: before, trustedContactId, createdAt } = trusteeRelationships;
  const since = sql`case when ${before} = excluded.trustee_user_id then ${createdAt} else excluded.created_at end`;
  const [known] = await tx
    .select({ trusteeUserId: before })
    .from(trusteeRelationships)
    .where(eq(trustedContactId, relationship.trustedContactId));
  await tx
    .insert(trusteeRelationships)
    .values({ ...relationship, isActive: true, createdAt: at })
    .onConflictDoUpdate({ target: trustedContactId, set: { trusteeUserId, isActive: true, createdAt: since } });
  await refreshTrusteeFlag(tx, [trusteeUserId]);
  return known?.trusteeUserId !== trusteeUserId;
}

/** Ends the relationship of a contact where there is one. */
export async function endRelationship(tx: Executor, contactId: string): Promise<void> {
  const ended = await tx
    .update(trusteeRelationships)
    .set({ isActive: false })
    .where(and(eq(trusteeRelationships.trustedContactId, contactId), trusteeRelationships.isActive))
    .returning({ trusteeUserId: trusteeRelationships.trusteeUserId });
  await refreshTrusteeFlag(
    tx,
    ended.map(({ trusteeUserId }) => trusteeUserId),
  );
}

/** An account belongs to a trusted contact for as long as it is trustee for somebody. */
async function refreshTrusteeFlag(tx: Executor, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return;

  const isTrustee = sql<boolean>`exists (
    select 1 from ${trusteeRelationships}
    where ${trusteeRelationships.trusteeUserId} = ${users.id} and ${trusteeRelationships.isActive})`;
  await tx
    .update(users)
    .set({ isTrustedContactAccount: isTrustee })
    .where(and(inArray(users.id, userIds), sql`${users.isTrustedContactAccount} is distinct from ${isTrustee}`));
}

/** Whose trustee somebody is or was, newest first; the contact's word for them is sealed. */
export function listRelationships(executor: Executor, trusteeUserId: string, limit: number) {
  return executor
    .select({
      id: trusteeRelationships.id,
      ownerUserId: trusteeRelationships.ownerUserId,
      ownerFirstName: users.firstName,
      ownerLastName: users.lastName,
      ownerEmail: users.email,
      contact: trustedContacts,
      // The contact's own state decides; the relationship follows it, and must agree.
      isActive: sql<boolean>`${trusteeRelationships.isActive} and ${trustedContacts.isActive} and ${trustedContacts.isConfirmed}
        and ${users.deletionRequestedAt} is null`,
      createdAt: trusteeRelationships.createdAt,
    })
    .from(trusteeRelationships)
    .innerJoin(trustedContacts, eq(trustedContacts.id, trusteeRelationships.trustedContactId))
    .innerJoin(users, eq(users.id, trusteeRelationships.ownerUserId))
    .where(eq(trusteeRelationships.trusteeUserId, trusteeUserId))
    .orderBy(desc(trusteeRelationships.createdAt), desc(trusteeRelationships.id))
    .limit(limit);
}

/** As what somebody is an owner's trustee: since when, and since when we know that they read their own mailbox. */
/** Takes the rows of an owner and of everybody who is trustee of theirs, in the order of their ids. */
export async function lockOwnerWithTrustees(tx: Executor, ownerUserId: string): Promise<void> {
  const trusteesOfOwner = tx
    .select({ id: trusteeRelationships.trusteeUserId })
    .from(trusteeRelationships)
    .where(eq(trusteeRelationships.ownerUserId, ownerUserId));
  await tx
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, ownerUserId), inArray(users.id, trusteesOfOwner)))
    .orderBy(users.id)
    .for('update');
}

/** Removes every relationship of an owner whose account is being erased. */
export async function deleteRelationshipsOf(tx: Executor, ownerUserId: string): Promise<void> {
  const gone = await tx
    .delete(trusteeRelationships)
    .where(eq(trusteeRelationships.ownerUserId, ownerUserId))
    .returning({ trusteeUserId: trusteeRelationships.trusteeUserId });
  await refreshTrusteeFlag(
    tx,
    gone.map(({ trusteeUserId }) => trusteeUserId),
  );
}
