import type { App } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { findByMailbox } from '#shared/rules/addresses/mailboxes.ts';
import { ownerNameOf, ownTrusteeshipEmail, trusteeBeganEmail, trusteeWaitsEmail } from './contacts.emails.ts';
import { type ContactRow, listConfirmedByPerson, listConfirmedContacts } from './contacts.repository.ts';
import { openContact, openName } from './contacts.sealing.ts';
import {
  deleteRelationshipsOf,
  endRelationship,
  listRelationships,
  listVerifiedAccounts,
  lockOwnerWithTrustees,
  storeRelationship,
  type VerifiedAccount,
} from './trustees.repository.ts';

/*
 * Contacts who have an account with the same address are trustees of the owner who named them, once they have shown that the
 * person who signs in reads the mailbox. A verified address is not enough: any person can register it, and a scanner in front
 * of the contact's mailbox would open the link.
 */

/** Relationship of an account that is, or was, trustee of an owner. */
export type Trusteeship = {
  id: string;
  ownerUserId: string;
  ownerFirstName: string | null;
  ownerLastName: string | null;
  ownerEmail: string;
  /** The owner's word for the trustee. Null for a former trustee, since the contact may be another person by now. */
  relationship: string | null;
  isActive: boolean;
  createdAt: Date;
};

/** Number of owners that one account sees itself as trustee of. */
const trusteeshipsMax = 100;

/** Starts or ends the trusteeship of a contact. It exists while they are active, confirmed and have a proven account. */
export async function followContact(app: App, tx: Executor, contact: ContactRow, at: Date): Promise<void> {
  const counts = contact.isActive && contact.isConfirmed;
  const account = counts ? accountFor(contact, await listVerifiedAccounts(tx, contact.email)) : null;
  if (account?.isMailboxProven) return start(app, tx, contact, { trusteeUserId: account.id, at });
  await endRelationship(tx, contact.id);
  if (account && account.id !== contact.userId)
    await tellMailbox(app, tx, { id: account.id, email: contact.email }, at);
}

/** Locks an owner and every account that is trustee of theirs, before `dismissTrustees`. It comes before other locks. */
export const lockTrustees: (tx: Executor, ownerUserId: string) => Promise<void> = lockOwnerWithTrustees;

/** Ends every trusteeship of an owner whose account is erased. */
export const dismissTrustees: (tx: Executor, ownerUserId: string) => Promise<void> = deleteRelationshipsOf;

/** Returns the trusteeships of an account, the newest first, one for each owner. */
export async function trusteeshipsOf(app: App, executor: Executor, trusteeUserId: string): Promise<Trusteeship[]> {
  const rows = await listRelationships(executor, trusteeUserId, trusteeshipsMax);
  const active = new Set(rows.filter(({ isActive }) => isActive).map(({ ownerUserId }) => ownerUserId));
  const shown = new Map<string, Trusteeship>();
  for (const { contact, ...row } of rows) {
    // A trustee who lost the role and got it again under another name has two rows. The active one is shown.
    if (shown.has(row.ownerUserId) || (active.has(row.ownerUserId) && !row.isActive)) continue;
    const vault = row.isActive ? await openVault(app, executor, row.ownerUserId) : null;
    const relationship = vault && unlessBroken(() => openContact(vault, contact.id, contact).relationship);
    shown.set(row.ownerUserId, { ...row, relationship });
  }
  return [...shown.values()];
}

/** Starts the trusteeships of an account that has proved its mailbox. Runs in the transaction of the proof. */
export async function startTrusteeships(app: App, tx: Executor, trusteeUserId: string, at: Date): Promise<void> {
  const account = await findOwner(tx, trusteeUserId);
  if (!account) return;
  // A scanner is often a moment ahead of the person.
  await cancelNotificationsFor(app, tx, trusteeUserId, 'mailbox proven');
  const inMailbox = await listVerifiedAccounts(tx, account.email);
  const hasOther = inMailbox.some(({ id, isMailboxProven }) => isMailboxProven && id !== trusteeUserId);
  for (const contact of await listConfirmedByPerson(tx, account.email)) {
    // Another proven account of this mailbox stays the trustee, unless this one has the contact's own spelling.
    if (!hasOther || contact.email === account.email) await start(app, tx, contact, { trusteeUserId, at });
  }
}

/** Emails an account that could be trustee if it proved its mailbox. Runs in the transaction of the verification. */
export async function tellOfTrusteeship(app: App, tx: Executor, userId: string, at: Date): Promise<void> {
  const account = await findOwner(tx, userId);
  if (!account || account.mailboxProvenAt) return;
  const contacts = await listConfirmedByPerson(tx, account.email);
  if (contacts.some((contact) => contact.userId !== userId)) await tellMailbox(app, tx, account, at);
}

async function start(
  app: App,
  tx: Executor,
  contact: ContactRow,
  { trusteeUserId, at }: { trusteeUserId: string; at: Date },
): Promise<void> {
  const { id: contactId, userId: ownerUserId } = contact;
  // An owner is never trustee of their own vault, even if their address becomes that of a contact they named before.
  if (trusteeUserId === ownerUserId) return;
  const relationship = { trusteeUserId, ownerUserId, trustedContactId: contactId };
  const owner = (await storeRelationship(tx, relationship, at)) && (await findOwner(tx, ownerUserId));
  if (!owner || owner.deletionRequestedAt) return;

  const vault = await openVault(app, tx, ownerUserId);
  const words = { owner: ownerNameOf(owner), contactName: openName(vault, contact), baseUrl: app.baseUrl };
  const confirmed = await listConfirmedContacts(tx, [ownerUserId]);
  const { releaseWaitingDays: waitingDays, releaseQuorum } = owner;
  const time = { waitingDays, quorum: Math.min(releaseQuorum, confirmed.length) };
  const mails = [
    { kind: 'contacts.trustee-began', address: owner.email, mail: trusteeBeganEmail({ ...words, ...time }) },
    { kind: 'contacts.own-trusteeship', address: contact.email, mail: ownTrusteeshipEmail(words) },
  ] as const;
  for (const { kind, address, mail } of mails) {
    await enqueueNotification(app, tx, {
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
  await recordAudit(app, tx, { ...entry, resourceId: contactId, at });
}

/**
 * Emails the mailbox itself, which its own person reads, also if another person opened the account. It does so once for each
 * account. The mail belongs to no owner: a stranger who opened the account must not read in its records that this mailbox is
 * a contact's.
 */
async function tellMailbox(app: App, tx: Executor, account: { id: string; email: string }, at: Date): Promise<void> {
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'contacts.trustee-waits',
    userId: null,
    subjectId: account.id,
    dedupeKey: `contacts.trustee-waits:${account.id}`,
    at,
    to: { address: account.email },
    mail: trusteeWaitsEmail({ baseUrl: app.baseUrl }),
  });
}

/** The account of a contact's mailbox: of the proven ones the contact's own spelling, else the first. */
function accountFor({ email }: ContactRow, accounts: readonly VerifiedAccount[]): VerifiedAccount | null {
  const proven = accounts.filter(({ isMailboxProven }) => isMailboxProven);
  return findByMailbox(proven.length > 0 ? proven : accounts, email) ?? null;
}
