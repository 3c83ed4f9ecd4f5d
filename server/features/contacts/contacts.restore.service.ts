import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { findKept, keepDeleted, putBack } from '#server/features/deleted-rows/deleted-rows.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import {
  type ContactRow,
  deleteContactRow,
  findContact,
  listContactsOfOwner,
  updateContactRow,
} from './contacts.repository.ts';
import { neverAsked, requireNewAddress, requireRoomForContact } from './contacts.rules.ts';
import type { Invitations } from './invitations.service.ts';
import type { Trustees } from './trustees.service.ts';

type Change = { tx: Executor; owner: OwnerRow; at: Date };

export type ContactRemovals = {
  /** Takes a contact out, with their links and their being a trustee. @throws AppError `NOT_FOUND`. */
  takeOut(change: Change, id: string): Promise<void>;
  /**
   * Puts one back who was deleted. Whoever had accepted counts as one who has just accepted; whoever had not answered yet is as one
   * who was never asked.
   *
   * @throws AppError `NOT_FOUND`, or `CONFLICT` where there is no room, or their address is another contact's by now.
   */
  putBack(change: Change, id: string): Promise<ContactRow>;
};

export function createContactRemovals(
  trustees: Pick<Trustees, 'follow' | 'end'>,
  invitations: Pick<Invitations, 'cancel' | 'countAnew'>,
): ContactRemovals {
  return {
    async takeOut({ tx, owner, at }, id) {
      const { id: userId, plan } = owner;
      if (!(await findContact(tx, userId, id))) throw notFound();
      await invitations.cancel(tx, id);
      await trustees.end(tx, id);
      await keepDeleted(tx, { userId, kind: 'contact', id }, { plan, at });
      await deleteContactRow(tx, id);
    },

    async putBack({ tx, owner, at }, id) {
      const others = await listContactsOfOwner(tx, owner.id);
      const kept = await putBack(
        tx,
        { userId: owner.id, kind: 'contact', id },
        {
          at,
          requireFit: async ({ row }) => {
            requireNewAddress(String(row.email), { ownEmail: owner.email, others });
            requireRoomForContact(others.length, owner);
          },
        },
      );
      const known = kept && (await findContact(tx, owner.id, id));
      if (!known) throw notFound();
      const { isConfirmed, declinedAt } = known;
      const standing = isConfirmed ? { ...neverAsked, isConfirmed, confirmedAt: at } : { ...neverAsked, declinedAt };
      const contact = await updateContactRow(tx, id, { ...standing, updatedAt: at });
      if (!isConfirmed) return contact;
      await trustees.follow(tx, contact, at);
      await invitations.countAnew(tx, contact, at);
      return contact;
    },
  };
}

/** The contact, also while they are deleted: whose accounts have to be locked is known by the address. */
export async function findContactOrDeleted(tx: Executor, userId: string, id: string) {
  const contact = await findContact(tx, userId, id);
  if (contact) return contact;
  const kept = await findKept(tx, { userId, kind: 'contact', id });
  return kept && { id, userId, email: String(kept.row.email) };
}
