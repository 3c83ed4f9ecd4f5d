import type { Accounts, OwnerRow, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import {
  type DeletedRow,
  findDeleted,
  keepDeleted,
  putBack,
} from '#server/features/deleted-rows/deleted-rows.service.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
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

/** What was begun of a change of contacts, under the owner's lock. */
export type ContactChange = { tx: Executor; owner: OwnerRow; vault: Vault; at: Date };
type OwnersContactCall = { principal: Principal; origin: RequestOrigin; id: string };

type RemovalByLink = {
  userId: string;
  id: string;
  origin: RequestOrigin;
  check(tx: Executor, owner: OwnerRow, at: Date): Promise<void>;
};

export type ContactRemovals = {
  /** @throws AppError `REAUTHENTICATION_REQUIRED` or `NOT_FOUND`. */
  remove(call: OwnersContactCall): Promise<void>;
  /**
   * Removes a contact by a link in a mail to the owner. It is no activity, since nobody has signed in. `check` throws if it may not be.
   *
   * @throws AppError `NOT_FOUND`, and what `check` throws.
   */
  removeByLink(call: RemovalByLink): Promise<void>;
  /**
   * Takes back who was deleted. Whoever had accepted counts as one who has just accepted; whoever had not answered yet is asked
   * anew, since their links ended with the deletion.
   *
   * @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`, `RATE_LIMITED`, or `CONFLICT` where there is no room, or their address
   *   is another contact's by now.
   */
  restore(call: OwnersContactCall): Promise<void>;
};

type RemovalsDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner'>;
  audit: Pick<Audit, 'record'>;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
  trustees: Pick<Trustees, 'follow' | 'end' | 'lock'>;
  invitations: Pick<Invitations, 'cancel' | 'countAnew'>;
  change<Result>(
    call: OwnersContactCall & { action: string },
    act: (change: ContactChange) => Promise<{ id: string; result: Result }>,
  ): Promise<Result>;
  spendInvitation(call: OwnersContactCall): Promise<void>;
  inviteIfOwed(change: ContactChange, contact: ContactRow): Promise<ContactRow>;
};

export function createContactRemovals(dependencies: RemovalsDependencies): ContactRemovals {
  const { freshSignIns, trustees, invitations, change, spendInvitation, inviteIfOwed } = dependencies;

  async function takeOut({ tx, owner, at }: Omit<ContactChange, 'vault'>, id: string): Promise<void> {
    const { id: userId, plan } = owner;
    if (!(await findContact(tx, userId, id))) throw notFound();
    await invitations.cancel(tx, id);
    await trustees.end(tx, id);
    await keepDeleted(tx, { userId, kind: 'contact', id }, { plan, at });
    await deleteContactRow(tx, id);
  }

  async function putIn(context: ContactChange, id: string): Promise<void> {
    const { tx, owner, at } = context;
    const others = await listContactsOfOwner(tx, owner.id);
    const requireFit = async ({ row }: DeletedRow) => {
      requireNewAddress(String(row.email), { ownEmail: owner.email, others });
      requireRoomForContact(others.length, owner);
    };
    const kept = await putBack(tx, { userId: owner.id, kind: 'contact', id }, { at, requireFit });
    const known = kept && (await findContact(tx, owner.id, id));
    if (!known) throw notFound();
    const { isConfirmed, declinedAt } = known;
    const standing = isConfirmed ? { ...neverAsked, isConfirmed, confirmedAt: at } : { ...neverAsked, declinedAt };
    const contact = await updateContactRow(tx, id, { ...standing, updatedAt: at });
    if (!isConfirmed) {
      await inviteIfOwed(context, contact);
      return;
    }
    await trustees.follow(tx, contact, at);
    await invitations.countAnew(tx, contact, at);
  }

  return {
    async remove(call) {
      await freshSignIns.requireFreshSignIn(call.principal);
      return change({ ...call, action: 'contact.delete' }, async (context) => {
        await takeOut(context, call.id);
        return { id: call.id, result: undefined };
      });
    },

    removeByLink: ({ userId, id, origin, check }) =>
      dependencies.db.transaction(async (tx) => {
        const known = await findContact(tx, userId, id);
        if (known) await trustees.lock(tx, known);
        const owner = known && (await dependencies.accounts.lockOwner(tx, userId));
        if (!owner) throw notFound();
        const at = await dependencies.clock.now(tx);
        await check(tx, owner, at);
        await takeOut({ tx, owner, at }, id);
        const about = { resource: 'trusted_contact', resourceId: id, origin, at };
        await dependencies.audit.record(tx, { userId, action: 'contact.delete_by_link', ...about });
      }),

    async restore(call) {
      await freshSignIns.requireFreshSignIn(call.principal);
      await spendInvitation(call);
      return change({ ...call, action: 'contact.restore' }, async (context) => {
        await putIn(context, call.id);
        return { id: call.id, result: undefined };
      });
    },
  };
}

/** The contact, also while they are deleted: whose accounts have to be locked is known by the address. */
export async function findContactOrDeleted(tx: Executor, userId: string, id: string) {
  const contact = await findContact(tx, userId, id);
  if (contact) return contact;
  const kept = await findDeleted(tx, { userId, kind: 'contact', id });
  return kept && { id, userId, email: String(kept.row.email) };
}
