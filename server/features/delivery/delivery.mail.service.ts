import type { NewEmail } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { createContactMail } from './delivery.contact-mail.service.ts';
import {
  type DeliveryDependencies,
  dayOf,
  mailKinds,
  senderOf,
  type ThisMail,
  type ToReader,
} from './delivery.dependencies.ts';
import { deliveryEmail, keptFrom, onceMoreEmail, renewedEmail, unopenedEmail } from './delivery.emails.ts';
import type { Links } from './delivery.links.ts';
import { createReturnMail } from './delivery.return-mail.service.ts';

/** How many mails are set and sealed before others have their turn: a few milliseconds for whoever is reading meanwhile. */
const mailsTogether = 6;

export type DeliveryMail = ReturnType<typeof createDeliveryMail>;

type MailDependencies = Pick<
  DeliveryDependencies,
  'baseUrl' | 'keys' | 'accounts' | 'contacts' | 'notifications' | 'adminEmail'
>;

/** Writes the mails of deliveries. Each belongs to the caller's transaction, as its cause does. */
export function createDeliveryMail(
  { baseUrl, keys, accounts, contacts, notifications, adminEmail }: MailDependencies,
  links: Links,
) {
  /** What every mail with a link to letters says of them. */
  const wordsOf = ({ token, letters, reader, addressFrom, owner }: ToReader) => ({
    sender: senderOf(owner),
    readerName: reader.name,
    link: links.linkOf(token),
    letters,
    baseUrl,
    addressFrom,
  });

  function emailTo(to: ToReader, { kind, key, seed, patient, mail }: ThisMail): NewEmail {
    const { mailId, personKey, reader, owner, at } = to;
    return {
      channel: 'email',
      kind,
      userId: owner.id,
      subjectId: mailId,
      dedupeKey: key,
      messageIdSeed: links.messageIdOf(personKey, seed),
      policy: patient ? 'patient' : 'link-again',
      at,
      to: reader.name === null ? { address: reader.address } : { address: reader.address, name: reader.name },
      mail,
    };
  }

  const { tellContacts, ...toContacts } = createContactMail({
    baseUrl,
    keys,
    accounts,
    contacts,
    notifications,
    adminEmail,
  });

  return {
    ...toContacts,
    ...createReturnMail({ baseUrl, keys, accounts, notifications }, { tellContacts }),

    /** `number` counts the mails that bring this person letters in this release, from 0. */
    async enqueueLetters(
      tx: Executor,
      mails: readonly (ToReader & { number: number; sealed: number })[],
    ): Promise<void> {
      for (let from = 0; from < mails.length; from += mailsTogether) {
        const emails = mails.slice(from, from + mailsTogether).map((to) => {
          const mail = deliveryEmail({ ...wordsOf(to), sealed: to.sealed, keptUntil: keptFrom(to.at.getTime()) });
          const key = `delivery:${to.mailId}`;
          return emailTo(to, { kind: mailKinds.letter, key, seed: `letters:${to.number}`, patient: true, mail });
        });
        await notifications.enqueueAll(tx, emails);
      }
    },

    /** At most one a person and day (UTC), whichever of their letters it is due for. */
    async enqueueReminder(tx: Executor, to: ToReader, reminder: { number: number; expiresAt: Date }): Promise<void> {
      const { number, expiresAt } = reminder;
      const mail = unopenedEmail({ ...wordsOf(to), expiresAt });
      const key = `delivery-reminder:${to.personKey}:${dayOf(to.at)}`;
      const seed = `reminder:${number}:${to.token}`;
      await notifications.enqueue(tx, emailTo(to, { kind: mailKinds.reminder, key, seed, patient: false, mail }));
    },

    /** At most one a person and day (UTC): the key names the day. */
    async enqueueRenewal(tx: Executor, to: ToReader): Promise<void> {
      const mail = renewedEmail({ ...wordsOf(to), keptUntil: keptFrom(to.at.getTime()) });
      const [key, seed] = [`delivery-renewal:${to.personKey}:${dayOf(to.at)}`, `renewal:${dayOf(to.at)}`];
      await notifications.enqueue(tx, emailTo(to, { kind: mailKinds.renewal, key, seed, patient: false, mail }));
    },

    /**
     * Tries an address that has refused a letter, or where nobody opened it, once more, and says there that another one may be
     * used on `sendsAt`. That a mailbox takes what nobody opens says nothing new.
     */
    async enqueueOnceMore(
      tx: Executor,
      to: ToReader,
      { key: occasion, sendsAt, wasUnopened }: { key: string; sendsAt: Date; wasUnopened: boolean },
    ): Promise<void> {
      const mail = onceMoreEmail({ ...wordsOf(to), sendsAt, wasUnopened });
      const kind = wasUnopened ? mailKinds.reminder : mailKinds.renewal;
      const key = `delivery-once-more:${occasion}`;
      const seed = `once-more:${to.token}:${dayOf(to.at)}`;
      await notifications.enqueue(tx, emailTo(to, { kind, key, seed, patient: false, mail }));
    },
  };
}
