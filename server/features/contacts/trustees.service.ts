import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type ContactRow, listConfirmedByEmail } from './contacts.repository.ts';
import {
  endRelationship,
  findVerifiedAccount,
  lockOwnerAndTrustees,
  storeRelationship,
} from './trustees.repository.ts';

export type Trustees = {
  /** Takes the rows that `follow` and `end` change. Comes before `lockOwner`, of which it is a part. */
  lock(tx: Executor, contact: { id: string; userId: string; email: string }): Promise<void>;
  /** Brings the relationship in line with the contact: there is one while they are active, confirmed and have an account. */
  follow(tx: Executor, contact: ContactRow, at: Date): Promise<void>;
  end(tx: Executor, contactId: string): Promise<void>;
};

/** Contacts who have an account with the same verified address are trustees of the owner who named them. */
export function createTrustees(accounts: Pick<Accounts, 'onVerified' | 'ownerOf'>): Trustees {
  accounts.onVerified(async (tx, userId, at) => {
    const account = await accounts.ownerOf(tx, userId);
    if (!account) return;

    for (const contact of await listConfirmedByEmail(tx, account.email)) {
      await start(tx, contact, { trusteeUserId: userId, at });
    }
  });

  return {
    lock: (tx, { id, userId, email }) => lockOwnerAndTrustees(tx, { userId, contactId: id, email }),

    async follow(tx, contact, at) {
      const counts = contact.isActive && contact.isConfirmed;
      const trusteeUserId = counts ? await findVerifiedAccount(tx, contact.email) : null;
      if (trusteeUserId === null) await endRelationship(tx, contact.id);
      else await start(tx, contact, { trusteeUserId, at });
    },

    end: endRelationship,
  };
}

async function start(tx: Executor, contact: ContactRow, { trusteeUserId, at }: { trusteeUserId: string; at: Date }) {
  // Nobody is trustee of their own vault, even if an address was changed to one they had named before.
  if (trusteeUserId === contact.userId) return;
  await storeRelationship(tx, { trusteeUserId, ownerUserId: contact.userId, trustedContactId: contact.id }, at);
}
