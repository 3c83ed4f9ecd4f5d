import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { findByMailbox } from '#shared/rules/addresses/mailboxes.ts';
import { ownerNameOf, ownTrusteeshipEmail, trusteeBeganEmail, trusteeWaitsEmail } from './contacts.emails.ts';
import { type ContactRow, listConfirmedByPerson, listConfirmedContacts } from './contacts.repository.ts';
import { openContact, openName } from './contacts.sealing.ts';
import {
  deleteRelationshipsOf,
  endRelationship,
  findTrusteeRole,
  listRelationships,
  listVerifiedAccounts,
  lockOwnerAndTrustees,
  lockOwnerWithTrustees,
  storeRelationship,
  type TrusteeRole,
  type VerifiedAccount,
} from './trustees.repository.ts';

export type { TrusteeRole } from './trustees.repository.ts';

/** That somebody is, or was, trustee of an owner. */
export type Trusteeship = {
  id: string;
  ownerUserId: string;
  ownerFirstName: string | null;
  ownerLastName: string | null;
  ownerEmail: string;
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
  /** Brings the relationship in line with the contact: there is one while they are active, confirmed and have a proven account. */
  follow(tx: Executor, contact: ContactRow, at: Date): Promise<void>;
  end(tx: Executor, contactId: string): Promise<void>;
  /** Newest first, one for each owner. */
  trusteeships(executor: Executor, trusteeUserId: string): Promise<Trusteeship[]>;
  /** Takes an owner and everybody who is trustee of theirs, for `dismissAll`. Comes before any other lock. */
  lockAll(tx: Executor, ownerUserId: string): Promise<void>;
  /** Ends every trusteeship of an owner who goes for good. */
  dismissAll(tx: Executor, ownerUserId: string): Promise<void>;
  /** As what somebody is trustee of this owner now; null for everybody else. */
  trusteeRole(executor: Executor, trusteeUserId: string, ownerUserId: string): Promise<TrusteeRole | null>;
};

export type TrusteesDependencies = {
  accounts: Pick<Accounts, 'onVerified' | 'onMailboxProven' | 'ownerOf' | 'openVault'>;
  audit: Pick<Audit, 'record'>;
  notifications: Pick<Notifications, 'enqueue' | 'cancelFor'>;
  /** The public address, without a path. */
  baseUrl: string;
};

/** Kinds of mail, as the notifications know them; the contact is their subject. */
const kinds = {
  began: 'contacts.trustee-began',
  own: 'contacts.own-trusteeship',
  waits: 'contacts.trustee-waits',
} as const;

/**
 * Contacts who have an account with the same address are trustees of the owner who named them, once they have shown
 * that whoever signs in to it reads its mail. That the address is verified is not enough: anybody may register it, and
 * a scanner in front of the contact's mailbox would open the link.
 */
export function createTrustees({ accounts, audit, notifications, baseUrl }: TrusteesDependencies): Trustees {
  async function start(tx: Executor, contact: ContactRow, { trusteeUserId, at }: { trusteeUserId: string; at: Date }) {
    const { id: contactId, userId: ownerUserId } = contact;
    // Nobody is trustee of their own vault, even if an address was changed to one they had named before.
    if (trusteeUserId === ownerUserId) return;
    const relationship = { trusteeUserId, ownerUserId, trustedContactId: contactId };
    const owner = (await storeRelationship(tx, relationship, at)) && (await accounts.ownerOf(tx, ownerUserId));
    if (!owner || owner.deletionRequestedAt) return;

    const vault = await accounts.openVault(tx, ownerUserId);
    const words = { owner: ownerNameOf(owner), contactName: openName(vault, contact), baseUrl };
    const confirmed = await listConfirmedContacts(tx, [ownerUserId]);
    const { releaseWaitingDays: waitingDays, releaseQuorum } = owner;
    const time = { waitingDays, quorum: Math.min(releaseQuorum, confirmed.length) };
    const mails = [
      { kind: kinds.began, address: owner.email, mail: trusteeBeganEmail({ ...words, ...time }) },
      { kind: kinds.own, address: contact.email, mail: ownTrusteeshipEmail(words) },
    ];
    for (const { kind, address, mail } of mails) {
      await notifications.enqueue(tx, {
        channel: 'email',
        kind,
        userId: ownerUserId,
        subjectId: contactId,
        dedupeKey: `${kind}:${contactId}:${trusteeUserId}:${at.toISOString()}`,
        at,
        to: { address },
        mail,
      });
    }
    const entry = { userId: ownerUserId, action: 'contact.trustee_began', resource: 'trusted_contact' };
    await audit.record(tx, { ...entry, resourceId: contactId, at });
  }

  /**
   * Into the mailbox itself, which its own person reads, whoever opened the account. Once for each account, and nobody's:
   * whoever opened it must not read in its records that this mailbox is a contact's.
   */
  async function tellMailbox(tx: Executor, account: { id: string; email: string }, at: Date) {
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: kinds.waits,
      userId: null,
      subjectId: account.id,
      dedupeKey: `${kinds.waits}:${account.id}`,
      at,
      to: { address: account.email },
      mail: trusteeWaitsEmail({ baseUrl }),
    });
  }

  accounts.onMailboxProven(async (tx, trusteeUserId, at) => {
    const account = await accounts.ownerOf(tx, trusteeUserId);
    if (!account) return;
    // A scanner is often a moment ahead of the person.
    await notifications.cancelFor(tx, trusteeUserId, [kinds.waits]);
    const inMailbox = await listVerifiedAccounts(tx, account.email);
    const hasOther = inMailbox.some(({ id, isMailboxProven }) => isMailboxProven && id !== trusteeUserId);
    for (const contact of await listConfirmedByPerson(tx, account.email)) {
      // Another proven account of this mailbox stays the trustee, unless this one has the contact's own spelling.
      if (!hasOther || contact.email === account.email) await start(tx, contact, { trusteeUserId, at });
    }
  });
  accounts.onVerified(async (tx, userId, at) => {
    const account = await accounts.ownerOf(tx, userId);
    if (!account || account.mailboxProvenAt) return;
    const contacts = await listConfirmedByPerson(tx, account.email);
    if (contacts.some((contact) => contact.userId !== userId)) await tellMailbox(tx, account, at);
  });

  return {
    lock: (tx, { id, userId, email }) => lockOwnerAndTrustees(tx, { userId, contactId: id, email }),

    async follow(tx, contact, at) {
      const counts = contact.isActive && contact.isConfirmed;
      const account = counts ? accountFor(contact, await listVerifiedAccounts(tx, contact.email)) : null;
      if (account?.isMailboxProven) return start(tx, contact, { trusteeUserId: account.id, at });
      await endRelationship(tx, contact.id);
      if (account && account.id !== contact.userId) await tellMailbox(tx, { id: account.id, email: contact.email }, at);
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

    trusteeRole: (executor, trusteeUserId, ownerUserId) => findTrusteeRole(executor, { trusteeUserId, ownerUserId }),
  };
}

/** The account of a contact's mailbox: of the proven ones the contact's own spelling, else the first. */
function accountFor({ email }: ContactRow, accounts: readonly VerifiedAccount[]): VerifiedAccount | null {
  const proven = accounts.filter(({ isMailboxProven }) => isMailboxProven);
  return findByMailbox(proven.length > 0 ? proven : accounts, email) ?? null;
}
