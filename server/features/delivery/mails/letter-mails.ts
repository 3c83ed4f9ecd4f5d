import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { messageIdOf, type PersonOfRelease } from '#server/features/delivery/delivery.links.ts';
import type { Person } from '#server/features/delivery/delivery.sealing.ts';
import { enqueueNotification, enqueueNotifications } from '#server/features/notifications/enqueue.ts';
import type { NewEmail } from '#server/features/notifications/notifications.messages.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { AddressSource } from '#shared/rules/deliveries.ts';
import { deliveryEmail, keptFrom, type Mail, onceMoreEmail, renewedEmail, unopenedEmail } from './delivery.emails.ts';
import { dayOf, senderOf } from './sender.ts';

/* Mails that bring letters or their link. Each belongs to the caller's transaction, as its cause does. */

/** Number of mails that are composed and sealed before other work runs: a few milliseconds for other requests. */
const mailsPerBatch = 6;

/** Mail with the link to a person's letters. */
export type ToReader = PersonOfRelease & {
  /** The mail that brings these letters, or brought them first. */
  mailId: string;
  reader: Person;
  addressFrom: AddressSource;
  /** Token of the first of them in the writer's order. */
  token: string;
  letters: number;
  owner: OwnerRow;
  at: Date;
};

/** `seed` tells it from all other mails to this person, and is the same when it is written again. */
type LetterMail = { kind: MailKind; key: string; seed: string; mail: Mail };

/** Queues letters. `number` counts the mails that bring this person letters in this release, from 0. */
export async function enqueueLetters(
  app: App,
  tx: Executor,
  mails: readonly (ToReader & { number: number; sealed: number })[],
): Promise<void> {
  for (let from = 0; from < mails.length; from += mailsPerBatch) {
    const emails = mails.slice(from, from + mailsPerBatch).map((to) => {
      const mail = deliveryEmail({ ...wordsOf(app, to), sealed: to.sealed, keptUntil: keptFrom(to.at.getTime()) });
      const key = `delivery:${to.mailId}`;
      return emailTo(app, to, { kind: 'delivery.letter', key, seed: `letters:${to.number}`, mail });
    });
    await enqueueNotifications(app, tx, emails);
  }
}

/** Queues a reminder: at most one per person and day (UTC), however many of their letters are due. */
export async function enqueueReminder(
  app: App,
  tx: Executor,
  to: ToReader,
  { number, expiresAt }: { number: number; expiresAt: Date },
): Promise<void> {
  const mail = unopenedEmail({ ...wordsOf(app, to), expiresAt });
  const key = `delivery-reminder:${to.personKey}:${to.releaseNumber}:${dayOf(to.at)}`;
  const seed = `reminder:${number}:${to.token}`;
  await enqueueNotification(app, tx, emailTo(app, to, { kind: 'delivery.reminder', key, seed, mail }));
}

/** Queues a renewed link: at most one per person and day (UTC), since the key names the day. */
export async function enqueueRenewal(app: App, tx: Executor, to: ToReader): Promise<void> {
  const mail = renewedEmail({ ...wordsOf(app, to), keptUntil: keptFrom(to.at.getTime()) });
  const key = `delivery-renewal:${to.personKey}:${to.releaseNumber}:${dayOf(to.at)}`;
  const seed = `renewal:${dayOf(to.at)}`;
  await enqueueNotification(app, tx, emailTo(app, to, { kind: 'delivery.renewal', key, seed, mail }));
}

/**
 * Tries an address that refused a letter or left it unopened once more, and announces there that another one may be
 * used on `sendsAt`. An acceptance by a mailbox that leaves letters unopened changes nothing.
 */
export async function enqueueOnceMore(
  app: App,
  tx: Executor,
  to: ToReader,
  { key: occasion, sendsAt, wasUnopened }: { key: string; sendsAt: Date; wasUnopened: boolean },
): Promise<void> {
  const mail = onceMoreEmail({ ...wordsOf(app, to), sendsAt, wasUnopened });
  const kind = wasUnopened ? 'delivery.reminder' : 'delivery.renewal';
  const key = `delivery-once-more:${occasion}`;
  const seed = `once-more:${to.token}:${dayOf(to.at)}`;
  await enqueueNotification(app, tx, emailTo(app, to, { kind, key, seed, mail }));
}

function wordsOf({ baseUrl }: App, { token, letters, reader, addressFrom, owner }: ToReader) {
  const link = `${baseUrl}/message/${token}`;
  return { sender: senderOf(owner), readerName: reader.name, link, letters, baseUrl, addressFrom };
}

function emailTo(app: App, to: ToReader, { kind, key, seed, mail }: LetterMail): NewEmail {
  const { mailId, reader, owner, at } = to;
  return {
    channel: 'email',
    kind,
    userId: owner.id,
    subjectId: mailId,
    dedupeKey: key,
    messageIdSeed: messageIdOf(app, to, seed),
    at,
    to: reader.name === null ? { address: reader.address } : { address: reader.address, name: reader.name },
    mail,
  };
}
