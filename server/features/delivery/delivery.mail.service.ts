import type { NewEmail } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { createContactMail } from './delivery.contact-mail.service.ts';
import {
  type DeliveryDependencies,
  dayOf,
  mailKinds,
  senderOf,
  type ThisMail,
  type ToRecipient,
} from './delivery.dependencies.ts';
import { deliveryEmail, onceMoreEmail, renewedEmail, unopenedEmail } from './delivery.emails.ts';
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

  const { tellContacts, ...toContacts } = createContactMail({ baseUrl, keys, contacts, notifications, adminEmail });

  return {
    tokenHashOf,
    ...toContacts,
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
  };
}
