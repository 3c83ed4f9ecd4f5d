import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ConfirmedContact } from '#server/features/contacts/confirmed-contacts.ts';
import { newAddressUrl } from '#server/features/delivery/mails/contact-mails.ts';
import { senderOf } from '#server/features/delivery/mails/sender.ts';
import { enqueueNotification, enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import type { ToContact } from '#server/features/release-mail/release-contacts.emails.ts';
import { newCheckInLink } from '#server/features/release-state/checkin-link.ts';
import { insertCheckInLinks } from '#server/features/release-state/checkin-links.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import {
  addressReviewEmail,
  agreeWithAddressEmail,
  lookAgainEmail,
  operatorDecidesEmail,
  ownerNewAddressEmail,
} from './new-address.emails.ts';
import { countedContacts } from './new-address.rules.ts';
import type { AddressScene } from './new-address-scene.ts';

/* Mails about another address, each in the transaction of its cause. They are cancelled with the release. */

/** `byId`: the contact whose proposal it is. */
type Proposed = { proposalId: string; byId: string; sendsAt: Date | null; isReviewed: boolean };

/**
 * Asks every other contact whose word counts. Any one of them can agree. `number` counts the questions of a proposal
 * from 0.
 */
export async function askOthers(
  app: App,
  tx: Executor,
  scene: AddressScene,
  { proposalId, byId, sendsAt, number, isReviewed }: Proposed & { number: number },
): Promise<void> {
  const { at, owner, request, contacts, facts } = scene;
  const counted = countedContacts(facts, at.getTime()).map(({ id }) => id);
  for (const contact of contacts.filter(({ id }) => id !== byId && counted.includes(id))) {
    const url = await newAddressUrl(app, tx, { requestId: request.id, contactId: contact.id }, at);
    const words = { byName: nameOfContact(scene, byId), url, sendsAt, isReviewed };
    await enqueueNotification(app, tx, {
      channel: 'email',
      kind: 'release.new-address',
      userId: owner.id,
      subjectId: request.id,
      contactId: contact.id,
      dedupeKey: ['new-address', proposalId, contact.id, ...(number > 0 ? [number] : [])].join(':'),
      at,
      to: { address: contact.email, name: contact.name },
      mail: agreeWithAddressEmail(toContact(app, owner, contact), words),
    });
  }
}

type EndedByRestore = {
  owner: OwnerRow;
  requestId: string;
  contact: ConfirmedContact;
  proposalId: string;
  backupAt: Date;
  at: Date;
};

/** Asks a contact to propose again. After a restore the outcome of a proposal is unknown, so it no longer counts. */
export async function askToProposeAgain(app: App, tx: Executor, ended: EndedByRestore): Promise<void> {
  const { owner, requestId, contact, proposalId, backupAt, at } = ended;
  const url = await newAddressUrl(app, tx, { requestId, contactId: contact.id }, at);
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'release.address-again',
    userId: owner.id,
    subjectId: requestId,
    contactId: contact.id,
    dedupeKey: `address-again:${proposalId}`,
    at,
    to: { address: contact.email, name: contact.name },
    mail: lookAgainEmail(toContact(app, owner, contact), { backupAt, url }),
  });
}

/** Asks the operator to decide, if no other contact can agree and the letter would go to a contact. */
export async function askOperatorToDecide(
  app: App,
  tx: Executor,
  { at, owner, request }: AddressScene,
  proposalId: string,
): Promise<void> {
  await enqueueToOperator(app, tx, {
    kind: 'operator.address-to-decide',
    userId: owner.id,
    subjectId: request.id,
    dedupeKey: `operator-address:${proposalId}`,
    at,
    mail: operatorDecidesEmail({ ownerEmail: owner.email, baseUrl: app.baseUrl }),
  });
}

/** Asks the operator to check an open release before it writes to more new mailboxes. */
export async function askOperatorToReview(app: App, tx: Executor, { at, owner, request }: AddressScene): Promise<void> {
  await enqueueToOperator(app, tx, {
    kind: 'operator.address-review',
    userId: owner.id,
    subjectId: request.id,
    dedupeKey: `operator-address-review:${request.id}`,
    at,
    mail: addressReviewEmail({ ownerEmail: owner.email, baseUrl: app.baseUrl }),
  });
}

type ToldOwner = Proposed & { stage: 'proposed' | 'waiting' | 'sent'; agrees: 'contact' | 'operator' | null };

/** Emails the owner, who may be alive, before anything is read at the new address. */
export async function tellOwner(
  app: App,
  tx: Executor,
  scene: AddressScene,
  { proposalId, byId, stage, sendsAt, agrees, isReviewed }: ToldOwner,
): Promise<void> {
  const { at, owner, request } = scene;
  const { baseUrl } = app;
  const link = newCheckInLink(app, { userId: owner.id, at });
  await insertCheckInLinks(tx, [link.row]);
  const planned = { sendsAt, agrees, isReviewed, isSent: stage === 'sent' };
  const words = { firstName: owner.firstName || null, byName: nameOfContact(scene, byId), checkInUrl: link.url };
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'release.owner-new-address',
    userId: owner.id,
    subjectId: request.id,
    dedupeKey: `owner-new-address:${proposalId}:${stage}`,
    at,
    to: { address: owner.email },
    mail: ownerNewAddressEmail({ ...words, ...planned, baseUrl }),
  });
}

function toContact({ baseUrl }: App, owner: OwnerRow, { name: contactName }: ConfirmedContact): ToContact {
  const { name: ownerName, firstName: ownerFirstName } = senderOf(owner);
  return { contactName, ownerName, ownerFirstName, baseUrl };
}

function nameOfContact({ contacts }: AddressScene, contactId: string): string {
  const contact = contacts.find(({ id }) => id === contactId);
  return contact ? firstNameOf(contact.name) : 'One of your contacts';
}
