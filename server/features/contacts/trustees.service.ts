import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type ContactRow, listConfirmedByEmail } from './contacts.repository.ts';
import { openContact } from './contacts.sealing.ts';
import {
  deleteRelationshipsOf,
  endRelationship,
  findTrusteeContact,
  findVerifiedAccount,
  listRelationships,
  lockOwnerAndTrustees,
  lockOwnerWithTrustees,
  storeRelationship,
} from './trustees.repository.ts';

/** That somebody is, or was, trustee of an owner. */
export type Trusteeship = {
  id: string;
  ownerUserId: string;
  ownerFirstName: string | null;
  ownerLastName: string | null;
  /** The owner's word for them. Kept from somebody who is no trustee any more: the contact may be another by now. */
  relationship: string | null;
  isActive: boolean;
  createdAt: Date;
};

/** People one account can be trustee of, as far as they are shown. */
const trusteeshipsMax = 100;

export type Trustees = {
  /** Takes the rows that `follow` and `end` change. Comes before `lockOwner`, of which it is a part. */
  lock(tx: Executor, contact: { id: string; userId: string; email: string }): Promise<void>;
  /** Brings the relationship in line with the contact: there is one while they are active, confirmed and have an account. */
  follow(tx: Executor, contact: ContactRow, at: Date): Promise<void>;
  end(tx: Executor, contactId: string): Promise<void>;
  /** Newest first, one for each owner. */
  trusteeships(executor: Executor, trusteeUserId: string): Promise<Trusteeship[]>;
  /** Takes an owner and everybody who is trustee of theirs, for `dismissAll`. Comes before any other lock. */
  lockAll(tx: Executor, ownerUserId: string): Promise<void>;
  /** Ends every trusteeship of an owner who goes for good. */
  dismissAll(tx: Executor, ownerUserId: string): Promise<void>;
  /** The contact through whom somebody is trustee of this owner now; null for everybody else. */
  trusteeContact(executor: Executor, trusteeUserId: string, ownerUserId: string): Promise<string | null>;
};

/** Contacts who have an account with the same verified address are trustees of the owner who named them. */
export function createTrustees(accounts: Pick<Accounts, 'onVerified' | 'ownerOf' | 'openVault'>): Trustees {
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

    lockAll: lockOwnerWithTrustees,
    dismissAll: deleteRelationshipsOf,

    async trusteeships(executor, trusteeUserId) {
      const rows = await listRelationships(executor, trusteeUserId, trusteeshipsMax);
      const active = new Set(rows.filter(({ isActive }) => isActive).map(({ ownerUserId }) => ownerUserId));
      const shown = new Map<string, Trusteeship>();
      for (const { contact, ...row } of rows) {
        // Who lost the role and got it back under another name has two rows; the one that counts is shown.
        if (shown.has(row.ownerUserId) || (active.has(row.ownerUserId) && !row.isActive)) continue;
        const vault = row.isActive ? await accounts.openVault(executor, row.ownerUserId) : null;
        const relationship = vault && unlessBroken(() => openContact(vault, contact.id, contact).relationship);
        shown.set(row.ownerUserId, { ...row, relationship });
      }
      return [...shown.values()];
    },

    trusteeContact: (executor, trusteeUserId, ownerUserId) =>
      findTrusteeContact(executor, { trusteeUserId, ownerUserId }),
  };
}

async function start(tx: Executor, contact: ContactRow, { trusteeUserId, at }: { trusteeUserId: string; at: Date }) {
  // Nobody is trustee of their own vault, even if an address was changed to one they had named before.
  if (trusteeUserId === contact.userId) return;
  await storeRelationship(tx, { trusteeUserId, ownerUserId: contact.userId, trustedContactId: contact.id }, at);
}
