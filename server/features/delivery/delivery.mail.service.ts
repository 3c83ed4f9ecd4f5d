import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { NewEmail } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import {
  type AboutRelease,
  type ConfirmedContact,
  type DeliveryDependencies,
  dayOf,
  type LinkOfContact,
  mailKinds,
  senderOf,
  type ThisMail,
  type ToRecipient,
} from './delivery.dependencies.ts';
import {
  deliveryEmail,
  heldBackEmail,
  type Mail,
  neverOpenedEmail,
  nobodyToAskEmail,
  onceMoreEmail,
  renewedEmail,
  unopenedEmail,
  unreachableEmail,
} from './delivery.emails.ts';
import { type DeliveryRow, keepNewAddressLink } from './delivery.repository.ts';
import { createReturnMail } from './delivery.return-mail.service.ts';

/** How many letters are set and sealed before others have their turn: a few milliseconds for whoever is reading meanwhile. */
const lettersTogether = 6;

export type DeliveryMail = ReturnType<typeof createDeliveryMail>;

type MailDependencies = Pick<
  DeliveryDependencies,
  'baseUrl' | 'keys' | 'accounts' | 'contacts' | 'notifications' | 'adminEmail'
>;
/** Writes the mails of deliveries. Each belongs to the caller's transaction, as its cause does. */
export function createDeliveryMail({ baseUrl, keys, accounts, contacts, notifications, adminEmail }: MailDependencies) {
  /** The token in the link of a delivery: always the same, so that a mail written again is the same mail. */
  const tokenOf = (deliveryId: string) => keys.derive('delivery-link', deliveryId);
  const tokenHashOf = (deliveryId: string) => keys.hashToken(tokenOf(deliveryId));
  const linkOf = (deliveryId: string) => `${baseUrl}/message/${tokenOf(deliveryId)}`;

  /** As with a letter, it is derived: a contact who is told twice has one link. */
  async function newAddressUrl(tx: Executor, link: LinkOfContact, at: Date): Promise<string> {
    const { requestId, contactId } = link;
    const token = keys.derive('new-address-link', `${requestId}:${contactId}`);
    await keepNewAddressLink(tx, { requestId, contactId, tokenHash: keys.hashToken(token), createdAt: at });
    return `${baseUrl}/new-address/${token}`;
  }

  /** What every mail with a letter's link says of where it comes from. */
  const originOf = ({ deliveryId, addressFrom, owner }: ToRecipient) => ({
    sender: senderOf(owner),
    link: linkOf(deliveryId),
    baseUrl,
    addressFrom,
  });

  function emailTo({ deliveryId, address, owner, at }: ToRecipient, { kind, key, patient, mail }: ThisMail): NewEmail {
    return {
      channel: 'email',
      kind,
      userId: owner.id,
      subjectId: deliveryId,
      dedupeKey: key,
      messageIdSeed: keys.derive('delivery-message-id', key),
      policy: patient ? 'patient' : 'standard',
      at,
      to: { address },
      mail,
    };
  }

  async function enqueueToRecipient(tx: Executor, to: ToRecipient, mail: ThisMail): Promise<void> {
    await notifications.enqueue(tx, emailTo(to, mail));
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

  /** Where there is no contact, somebody still has to know that a letter waits: one mail an owner, release and day (UTC). */
  async function tellOperator(
    tx: Executor,
    { requestId, owner, at }: AboutRelease,
    why: 'refused' | 'unopened',
  ): Promise<void> {
    if (adminEmail === null) return;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: mailKinds.nobodyToAsk,
      userId: owner.id,
      subjectId: requestId,
      dedupeKey: `operator-nobody-to-ask:${why}:${requestId}:${dayOf(at)}`,
      at,
      to: { address: adminEmail },
      mail: nobodyToAskEmail({ ownerEmail: owner.email, why, baseUrl }),
    });
  }

  return {
    tokenHashOf,
    ...createReturnMail({ baseUrl, accounts, notifications }, { enqueueToRecipient, tellContacts }),

    async enqueueLetters(tx: Executor, letters: readonly ToRecipient[]): Promise<void> {
      for (let from = 0; from < letters.length; from += lettersTogether) {
        const emails = letters.slice(from, from + lettersTogether).map((to) => {
          const mail = deliveryEmail(originOf(to));
          return emailTo(to, { kind: mailKinds.letter, key: `delivery:${to.deliveryId}`, patient: true, mail });
        });
        await notifications.enqueueAll(tx, emails);
      }
    },

    async enqueueReminder(tx: Executor, to: ToRecipient, reminder: { number: number; expiresAt: Date }): Promise<void> {
      const { expiresAt } = reminder;
      const mail = unopenedEmail({ ...originOf(to), expiresAt });
      const key = `delivery-reminder:${to.deliveryId}:${reminder.number}`;
      await enqueueToRecipient(tx, to, { kind: mailKinds.reminder, key, patient: false, mail });
    },

    /** At most one a day (UTC) for each delivery: the key names the day. */
    async enqueueRenewal(tx: Executor, to: ToRecipient): Promise<void> {
      const mail = renewedEmail(originOf(to));
      const key = `delivery-renewal:${to.deliveryId}:${dayOf(to.at)}`;
      await enqueueToRecipient(tx, to, { kind: mailKinds.renewal, key, patient: false, mail });
    },

    /**
     * Tries an address that has refused a letter, or where nobody opened it, once more, and says there that another one may be
     * used on `sendsAt`. That a mailbox takes what nobody opens says nothing new.
     */
    async enqueueOnceMore(
      tx: Executor,
      to: ToRecipient,
      { key, sendsAt, wasUnopened }: { key: string; sendsAt: Date; wasUnopened: boolean },
    ): Promise<void> {
      const mail = onceMoreEmail({ ...originOf(to), sendsAt, wasUnopened });
      await enqueueToRecipient(tx, to, {
        kind: wasUnopened ? mailKinds.reminder : mailKinds.renewal,
        key: `delivery-once-more:${key}`,
        patient: false,
        mail,
      });
    },

    newAddressUrl,

    /**
     * Tells every confirmed contact that somebody could not be reached, with a link to propose another address; one
     * mail a person, release and day (UTC), and one for each address that was proposed and refused too. Where there is
     * nobody to tell, the operator is told. Gives how many contacts there are.
     */
    async enqueueUnreachable(
      tx: Executor,
      { delivery, owner, at }: { delivery: DeliveryRow; owner: OwnerRow; at: Date },
    ): Promise<number> {
      const { requestId } = delivery;
      const occasion = delivery.replacesDeliveryId ? delivery.id : dayOf(at);
      const sender = senderOf(owner);
      const contactsTold = await tellContacts(tx, { requestId, owner, at }, async (contact) => {
        const link = await newAddressUrl(tx, { requestId, contactId: contact.id }, at);
        return {
          kind: mailKinds.unreachable,
          dedupeKey: `delivery-unreachable:${requestId}:${contact.id}:${occasion}`,
          mail: unreachableEmail({ sender, contactName: contact.name, link, baseUrl }),
        };
      });
      if (contactsTold === 0) await tellOperator(tx, { requestId, owner, at }, 'refused');
      return contactsTold;
    },

    /**
     * Tells every confirmed contact that letters were not opened in their days, with the link to propose another address;
     * where there is nobody to tell, the operator. One mail a person, release and day (UTC).
     */
    async enqueueNeverOpened(tx: Executor, { requestId, owner, at }: AboutRelease, letters: number): Promise<number> {
      const sender = senderOf(owner);
      const contactsTold = await tellContacts(tx, { requestId, owner, at }, async (contact) => {
        const link = await newAddressUrl(tx, { requestId, contactId: contact.id }, at);
        return {
          kind: mailKinds.neverOpened,
          dedupeKey: `delivery-never-opened:${requestId}:${contact.id}:${dayOf(at)}`,
          mail: neverOpenedEmail({ sender, contactName: contact.name, letters, link, baseUrl }),
        };
      });
      if (contactsTold === 0) await tellOperator(tx, { requestId, owner, at }, 'unopened');
      return contactsTold;
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
