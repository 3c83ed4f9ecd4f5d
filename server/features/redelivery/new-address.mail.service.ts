import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { ConfirmedContact } from '#server/features/contacts/contacts.service.ts';
import { addressAgainKind, agreeingKind } from '#server/features/release-health/address-proposal-kinds.ts';
import type { ToContact } from '#server/features/release-mail/release-contacts.emails.ts';
import { newCheckInLink } from '#server/features/release-state/checkin-link.ts';
import { insertCheckInLinks } from '#server/features/release-state/checkin-links.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
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
import type { AddressScene } from './new-address-scene.service.ts';

type Asked = Proposed & { sendsAt: Date | null; number: number; isReviewed: boolean };
type Told = Proposed & {
  sendsAt: Date | null;
  stage: 'proposed' | 'waiting' | 'sent';
  agrees: 'contact' | 'operator' | null;
  isReviewed: boolean;
};
type Forgotten = {
  owner: OwnerRow;
  requestId: string;
  contact: ConfirmedContact;
  proposalId: string;
  backupAt: Date;
  at: Date;
};
type Proposed = { proposalId: string /** The contact whose proposal it is. */; byId: string };

export type NewAddressMail = ReturnType<typeof createNewAddressMail>;

/** Writes the mails about another address, each in the transaction of its cause. They die with the release. */
export function createNewAddressMail({
  notifications,
  deliveries,
  hashToken,
  baseUrl,
  adminEmail,
}: Pick<ReleaseDependencies, 'notifications' | 'deliveries' | 'hashToken' | 'baseUrl' | 'adminEmail'>) {
  function toContact({ firstName, lastName, email }: OwnerRow, { name }: ConfirmedContact): ToContact {
    const ownerName = [firstName, lastName].filter(Boolean).join(' ') || email;
    return { contactName: name, ownerName, ownerFirstName: firstName || ownerName, baseUrl };
  }

  return {
    /** Every other contact whose word counts is asked; any one of them can agree. `number` counts from 0 and tells each from those before. */
    async askOthers(
      tx: Executor,
      scene: AddressScene,
      { proposalId, byId, sendsAt, number, isReviewed }: Asked,
    ): Promise<void> {
      const { at, owner, request, contacts, facts } = scene;
      const counted = countedContacts(facts, at.getTime()).map(({ id }) => id);
      for (const contact of contacts.filter(({ id }) => id !== byId && counted.includes(id))) {
        const url = await deliveries.newAddressUrl(tx, { requestId: request.id, contactId: contact.id }, at);
        await notifications.enqueue(tx, {
          channel: 'email',
          kind: agreeingKind,
          userId: owner.id,
          subjectId: request.id,
          contactId: contact.id,
          dedupeKey: ['new-address', proposalId, contact.id, ...(number > 0 ? [number] : [])].join(':'),
          policy: 'patient',
          at,
          to: { address: contact.email, name: contact.name },
          mail: agreeWithAddressEmail(toContact(owner, contact), {
            byName: nameOfContact(scene, byId),
            url,
            sendsAt,
            isReviewed,
          }),
        });
      }
    },

    /** After a restore: what became of a proposal since the backup, nobody here knows, so it counts no more. */
    async askToLookAgain(tx: Executor, forgotten: Forgotten): Promise<void> {
      const { owner, requestId, contact, proposalId, backupAt, at } = forgotten;
      const url = await deliveries.newAddressUrl(tx, { requestId, contactId: contact.id }, at);
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: addressAgainKind,
        userId: owner.id,
        subjectId: requestId,
        contactId: contact.id,
        dedupeKey: `address-again:${proposalId}`,
        policy: 'patient',
        at,
        to: { address: contact.email, name: contact.name },
        mail: lookAgainEmail(toContact(owner, contact), { backupAt, url }),
      });
    },

    /** Where nobody else can agree, and it is to go to a contact, the operator decides. */
    async askOperator(tx: Executor, { at, owner, request }: AddressScene, proposalId: string): Promise<void> {
      if (adminEmail === null) return;
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: 'operator.address-to-decide',
        userId: owner.id,
        subjectId: request.id,
        dedupeKey: `operator-address:${proposalId}`,
        at,
        to: { address: adminEmail },
        mail: operatorDecidesEmail({ ownerEmail: owner.email, baseUrl }),
      });
    },

    /** Asks the operator to check a release under way before it writes to more new mailboxes. */
    async askForReview(tx: Executor, { at, owner, request }: AddressScene): Promise<void> {
      if (adminEmail === null) return;
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: 'operator.address-review',
        userId: owner.id,
        subjectId: request.id,
        dedupeKey: `operator-address-review:${request.id}`,
        at,
        to: { address: adminEmail },
        mail: addressReviewEmail({ ownerEmail: owner.email, baseUrl }),
      });
    },

    /** Should the owner live, they hear of it before anything is read there. */
    async tellOwner(
      tx: Executor,
      scene: AddressScene,
      { proposalId, byId, stage, sendsAt, agrees, isReviewed }: Told,
    ): Promise<void> {
      const { at, owner, request } = scene;
      const link = newCheckInLink({ hashToken, baseUrl }, { userId: owner.id, at });
      await insertCheckInLinks(tx, [link.row]);
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: 'release.owner-new-address',
        userId: owner.id,
        subjectId: request.id,
        dedupeKey: `owner-new-address:${proposalId}:${stage}`,
        at,
        to: { address: owner.email },
        mail: ownerNewAddressEmail({
          firstName: owner.firstName || null,
          baseUrl,
          byName: nameOfContact(scene, byId),
          checkInUrl: link.url,
          sendsAt,
          agrees,
          isReviewed,
          isSent: stage === 'sent',
        }),
      });
    },
  };
}

function nameOfContact({ contacts }: AddressScene, contactId: string): string {
  const contact = contacts.find(({ id }) => id === contactId);
  return contact ? firstNameOf(contact.name) : 'One of your contacts';
}
