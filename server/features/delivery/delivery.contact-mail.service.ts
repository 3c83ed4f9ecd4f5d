import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { NotificationOutcome } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import {
  type AboutRelease,
  type ConfirmedContact,
  type DeliveryDependencies,
  dayOf,
  type LinkOfContact,
  mailKinds,
  senderOf,
} from './delivery.dependencies.ts';
import { heldBackEmail, type Mail, neverOpenedEmail, type Sender, unreachableEmail } from './delivery.emails.ts';
import { type DeliveryRow, isReleaseClosed, keepNewAddressLink } from './delivery.repository.ts';
import { nobodyToAskEmail } from './delivery.return.emails.ts';

type AddressNews = { occasion: string; kind: 'unreachable' | 'neverOpened'; toOperator: 'refused' | 'unopened' };

/** What contacts are asked, and what the operator is told if none of them was reached. */
const questions = new Map([
  [mailKinds.unreachable as string, 'refused' as const],
  [mailKinds.neverOpened, 'unopened' as const],
]);

type ContactMailDependencies = Pick<
  DeliveryDependencies,
  'baseUrl' | 'keys' | 'accounts' | 'contacts' | 'notifications' | 'adminEmail'
>;

/** Writes what confirmed contacts, or else the operator, are told of letters that reached nobody. */
export function createContactMail(deps: ContactMailDependencies) {
  const { baseUrl, keys, accounts, contacts, notifications, adminEmail } = deps;

  /** As with a letter, it is derived: a contact who is told twice has one link. */
  async function newAddressUrl(tx: Executor, link: LinkOfContact, at: Date): Promise<string> {
    const { requestId, contactId } = link;
    const token = keys.derive('new-address-link', `${requestId}:${contactId}`);
    await keepNewAddressLink(tx, { requestId, contactId, tokenHash: keys.hashToken(token), createdAt: at });
    return `${baseUrl}/new-address/${token}`;
  }

  /** Gives how many there are to tell. */
  async function tellContacts(
    tx: Executor,
    { requestId, owner, at }: AboutRelease,
    write: (contact: ConfirmedContact) => Promise<{ kind: string; dedupeKey: string; mail: Mail }>,
  ): Promise<number> {
    const told = await contacts.confirmedContacts(tx, owner.id);
    for (const contact of told) {
      const to = { address: contact.email, name: contact.name };
      // It is tried as long as a letter is: who never reads it can't bring the letter to anybody.
      const envelope = { channel: 'email', policy: 'patient', userId: owner.id, subjectId: requestId, at, to } as const;
      await notifications.enqueue(tx, { ...envelope, contactId: contact.id, ...(await write(contact)) });
    }
    return told.length;
  }

  /** Tells the operator that a letter waits and no contact could be asked: one mail an owner, release and day (UTC). */
  async function tellOperator(
    tx: Executor,
    { requestId, owner, at }: AboutRelease,
    { why, asked }: { why: 'refused' | 'unopened'; asked: boolean },
  ): Promise<void> {
    if (adminEmail === null) return;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: mailKinds.nobodyToAsk,
      userId: owner.id,
      subjectId: requestId,
      dedupeKey: `operator-nobody-to-ask:${why}${asked ? ':asked' : ''}:${requestId}:${dayOf(at)}`,
      at,
      to: { address: adminEmail },
      mail: nobodyToAskEmail({ ownerEmail: owner.email, why, asked, baseUrl }),
    });
  }

  /**
   * Tells every confirmed contact of letters that reached nobody, with the link to propose another address: one mail a
   * person, release and occasion, which is a day (UTC) or an address. Where there is nobody to tell, the operator is told.
   */
  async function tellOfAddress(
    tx: Executor,
    about: AboutRelease,
    { occasion, kind, toOperator }: AddressNews,
    write: (words: { sender: Sender; contactName: string; link: string; baseUrl: string }) => Mail,
  ): Promise<number> {
    const { requestId, owner, at } = about;
    const contactsTold = await tellContacts(tx, about, async (contact) => {
      const link = await newAddressUrl(tx, { requestId, contactId: contact.id }, at);
      return {
        kind: mailKinds[kind],
        dedupeKey: `${mailKinds[kind]}:${requestId}:${contact.id}:${occasion}`,
        mail: write({ sender: senderOf(owner), contactName: contact.name, link, baseUrl }),
      };
    });
    if (contactsTold === 0) await tellOperator(tx, about, { why: toOperator, asked: false });
    return contactsTold;
  }

  return {
    newAddressUrl,
    tellContacts,

    /** If no contact accepted the mail that asks for another address, the operator is told. */
    async tellOfUnheard(tx: Executor, outcomes: readonly NotificationOutcome[]): Promise<void> {
      for (const { id, kind, outcome, subjectId: requestId, userId, at } of outcomes) {
        const why = questions.get(kind);
        if (!why || outcome === 'accepted' || requestId === null || userId === null) continue;
        if ((await notifications.isHeard(tx, id)) || (await isReleaseClosed(tx, requestId))) continue;
        const owner = await accounts.ownerOf(tx, userId);
        if (owner) await tellOperator(tx, { requestId, owner, at }, { why, asked: true });
      }
    },

    /**
     * Tells every confirmed contact that somebody could not be reached; one mail for each address that was proposed and
     * refused too. Gives how many contacts there are.
     */
    async enqueueUnreachable(
      tx: Executor,
      {
        delivery,
        owner,
        at,
        isStillTried,
      }: { delivery: DeliveryRow; owner: OwnerRow; at: Date; isStillTried: boolean },
    ): Promise<number> {
      const occasion = delivery.replacesDeliveryId ? delivery.id : dayOf(at);
      const about = { requestId: delivery.requestId, owner, at };
      return tellOfAddress(tx, about, { occasion, kind: 'unreachable', toOperator: 'refused' }, (words) =>
        unreachableEmail({ ...words, isStillTried }),
      );
    },

    /** Tells every confirmed contact that letters were not opened in their days. Gives how many contacts there are. */
    async enqueueNeverOpened(tx: Executor, about: AboutRelease, letters: number): Promise<number> {
      const told = { occasion: dayOf(about.at), kind: 'neverOpened', toOperator: 'unopened' } as const;
      return tellOfAddress(tx, about, told, (words) => neverOpenedEmail({ ...words, letters }));
    },

    /** Tells every confirmed contact that letters could not be opened and wait; once a person and release. */
    async enqueueHeldBack(tx: Executor, about: AboutRelease, letters: number): Promise<number> {
      const sender = senderOf(about.owner);
      return tellContacts(tx, about, async (contact) => ({
        kind: mailKinds.heldBack,
        dedupeKey: `delivery-held-back:${about.requestId}:${contact.id}`,
        mail: heldBackEmail({ sender, contactName: contact.name, letters, baseUrl }),
      }));
    },
  };
}
