import { and, eq, isNull } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts, trusteeRelationships } from '#server/schema/contacts.tables.ts';

/** A contact through whom an account is trustee. `since` is the time when the trusteeship began. */
export type TrusteeRole = { contactId: string; since: Date; mailboxProvenAt: Date | null };

/** Finds the contact through whom an account is this owner's trustee now. Null if it is not. */
export async function findTrusteeRole(
  executor: Executor,
  { trusteeUserId, ownerUserId }: { trusteeUserId: string; ownerUserId: string },
): Promise<TrusteeRole | null> {
  const trustees = alias(users, 'trustees');
  const [row] = await executor
    .select({
      contactId: trustedContacts.id,
      since: trusteeRelationships.createdAt,
      mailboxProvenAt: trustees.mailboxProvenAt,
    })
    .from(trusteeRelationships)
    .innerJoin(trustedContacts, eq(trustedContacts.id, trusteeRelationships.trustedContactId))
    .innerJoin(users, eq(users.id, trusteeRelationships.ownerUserId))
    .innerJoin(trustees, eq(trustees.id, trusteeRelationships.trusteeUserId))
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
  return row ?? null;
}
