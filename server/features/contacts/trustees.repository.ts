import { and, desc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import { users } from '#server/features/accounts/accounts.tables.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { trustedContacts, trusteeRelationships } from './contacts.tables.ts';

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
    .where(or(eq(users.id, userId), eq(users.email, email), inArray(users.id, trusteesOfContact)))
    .orderBy(users.id)
    .for('update');
}

/** The account that has proved to own this address. */
export async function findVerifiedAccount(tx: Executor, email: string): Promise<string | null> {
  const [row] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, email), users.emailVerified));
  return row?.id ?? null;
}

/** Starts the relationship, or starts it again. */
export async function storeRelationship(tx: Executor, relationship: Relationship, at: Date): Promise<void> {
  const { trusteeUserId } = relationship;
  await tx
    .insert(trusteeRelationships)
    .values({ ...relationship, isActive: true, createdAt: at })
    .onConflictDoUpdate({ target: trusteeRelationships.trustedContactId, set: { trusteeUserId, isActive: true } });
  await refreshTrusteeFlag(tx, [trusteeUserId]);
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

/** The contact through whom somebody is this owner's trustee now; null where they are not. */
export async function findTrusteeContact(
  executor: Executor,
  { trusteeUserId, ownerUserId }: Pick<Relationship, 'trusteeUserId' | 'ownerUserId'>,
): Promise<string | null> {
  const [row] = await executor
    .select({ contactId: trustedContacts.id })
    .from(trusteeRelationships)
    .innerJoin(trustedContacts, eq(trustedContacts.id, trusteeRelationships.trustedContactId))
    .innerJoin(users, eq(users.id, trusteeRelationships.ownerUserId))
    .where(
      and(
        isNull(users.deletionRequestedAt),
        eq(trusteeRelationships.trusteeUserId, trusteeUserId),
        eq(trusteeRelationships.ownerUserId, ownerUserId),
        trusteeRelationships.isActive,
        trustedContacts.isActive,
        trustedContacts.isConfirmed,
      ),
    );
  return row?.contactId ?? null;
}

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
