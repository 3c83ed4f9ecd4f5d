import type { App } from '#server/app.ts';
import { findOwner, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { type ConfirmedContact, confirmedContactsOf } from '#server/features/contacts/confirmed-contacts.ts';
import {
  type DeliveryRow,
  isReleaseClosed,
  keepNewAddressLink,
} from '#server/features/delivery/delivery.repository.ts';
import { listContactsWithPage } from '#server/features/delivery/say/say.repository.ts';
import { enqueueNotification, enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import { isHeard } from '#server/features/notifications/mail-queue.ts';
import type { NotificationOutcome } from '#server/features/notifications/mail-reactions.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { damagedLettersEmail, type Mail, neverOpenedEmail, type Sender, unreachableEmail } from './delivery.emails.ts';
import { noContactToAskEmail } from './delivery.return.emails.ts';
import { readerDeclinedEmail } from './reader-declined.email.ts';
import { type AboutRelease, dayOf, senderOf } from './sender.ts';

/* Mails to confirmed contacts, or else to the operator, about letters that did not arrive. */

type AddressNews = { occasion: string; kind: Question };
type ToContact = { kind: MailKind; dedupeKey: string; mail: Mail };
type AddressWords = { sender: Sender; contactName: string; link: string; baseUrl: string };

/** One contact in one release. */
export type LinkOfContact = { requestId: string; contactId: string };

/** Questions to contacts, with their occasion. The operator is notified if such a mail reached no contact. */
const questions = { 'delivery.unreachable': 'refused', 'delivery.never-opened': 'unopened' } as const;
type Question = keyof typeof questions;

/**
 * Returns the address of a contact's page for another address, and stores its link. The link is derived, so a contact
 * has one link however often they are notified.
 */
export async function newAddressUrl(
  { serviceKeys, baseUrl }: App,
  tx: Executor,
  { requestId, contactId }: LinkOfContact,
  at: Date,
): Promise<string> {
  const token = serviceKeys.derive('new-address-link', `${requestId}:${contactId}`);
  await keepNewAddressLink(tx, { requestId, contactId, tokenHash: serviceKeys.hashToken(token), createdAt: at });
  return `${baseUrl}/new-address/${token}`;
}

/** Notifies confirmed contacts: all for whom there is a mail. Returns their number. */
export async function tellContacts(
  app: App,
  tx: Executor,
  { requestId, owner, at }: AboutRelease,
  write: (contact: ConfirmedContact) => ToContact | null | Promise<ToContact>,
): Promise<number> {
  const contacts = (await confirmedContactsOf(app, tx, [owner.id])).get(owner.id) ?? [];
  let told = 0;
  for (const contact of contacts) {
    const written = await write(contact);
    if (!written) continue;
    told += 1;
    const to = { address: contact.email, name: contact.name };
    const envelope = { channel: 'email', userId: owner.id, subjectId: requestId, at, to } as const;
    await enqueueNotification(app, tx, { ...envelope, contactId: contact.id, ...written });
  }
  return told;
}

/**
 * Notifies every confirmed contact of an unreached recipient, once more for each proposed address that refused too.
 * Returns the number of contacts.
 */
export function enqueueUnreachable(
  app: App,
  tx: Executor,
  { delivery, owner, at, isStillTried }: { delivery: DeliveryRow; owner: OwnerRow; at: Date; isStillTried: boolean },
): Promise<number> {
  const occasion = delivery.replacesDeliveryId ? delivery.id : dayOf(at);
  const about = { requestId: delivery.requestId, owner, at };
  return tellOfAddress(app, tx, about, { occasion, kind: 'delivery.unreachable' }, (words) =>
    unreachableEmail({ ...words, isStillTried }),
  );
}

/** Notifies every confirmed contact of letters that stayed unopened for their days. Returns the number of contacts. */
export function enqueueNeverOpened(
  app: App,
  tx: Executor,
  about: AboutRelease,
  unopened: { letters: number; times: number | null },
): Promise<number> {
  const news = { occasion: dayOf(about.at), kind: 'delivery.never-opened' } as const;
  return tellOfAddress(app, tx, about, news, (words) => neverOpenedEmail({ ...words, ...unopened }));
}

/** Notifies every confirmed contact that damaged letters wait: once per contact and release. Returns their number. */
export function enqueueDamaged(app: App, tx: Executor, about: AboutRelease, letters: number): Promise<number> {
  const sender = senderOf(about.owner);
  return tellContacts(app, tx, about, (contact) => ({
    kind: 'delivery.held-back',
    dedupeKey: `delivery-held-back:${about.requestId}:${contact.id}`,
    mail: damagedLettersEmail({ sender, contactName: contact.name, letters, baseUrl: app.baseUrl }),
  }));
}

/**
 * Notifies contacts that letters wait for a reader who wants no more of them, without a name: each contact with a page
 * of this release, at most once a day (UTC). An owner who is back may read the mail with a contact, so none is sent then.
 */
export async function enqueueReaderDeclined(
  app: App,
  tx: Executor,
  about: AboutRelease,
  { id }: { id: string },
): Promise<number> {
  if (await isReleaseClosed(tx, about.requestId)) return 0;
  const sender = senderOf(about.owner);
  const withPage = await listContactsWithPage(tx, about.requestId);
  return tellContacts(app, tx, about, (contact) =>
    withPage.has(contact.id)
      ? {
          kind: 'delivery.reader-declined',
          dedupeKey: `delivery-reader-declined:${id}:${contact.id}:${dayOf(about.at)}`,
          mail: readerDeclinedEmail({ sender, contactName: contact.name, baseUrl: app.baseUrl }),
        }
      : null,
  );
}

/** Notifies the operator if no contact accepted the mail that asks for another address. */
export async function tellOfUnreachedContact(
  app: App,
  tx: Executor,
  { id, kind, outcome, subjectId: requestId, userId, at }: NotificationOutcome,
): Promise<void> {
  if (!isQuestion(kind) || outcome === 'accepted' || requestId === null || userId === null) return;
  if ((await isHeard(tx, id)) || (await isReleaseClosed(tx, requestId))) return;
  const owner = await findOwner(tx, userId);
  if (owner) await tellOperator(app, tx, { requestId, owner, at }, { why: questions[kind], asked: true });
}

/**
 * Notifies every confirmed contact of letters that did not arrive, with the link for another address. Sends one mail
 * per person, release and occasion: a day (UTC) or an address. If there is no contact, the operator is notified.
 */
async function tellOfAddress(
  app: App,
  tx: Executor,
  about: AboutRelease,
  { occasion, kind }: AddressNews,
  write: (words: AddressWords) => Mail,
): Promise<number> {
  const { requestId, owner, at } = about;
  const notified = await tellContacts(app, tx, about, async (contact) => {
    const link = await newAddressUrl(app, tx, { requestId, contactId: contact.id }, at);
    return {
      kind,
      dedupeKey: `${kind}:${requestId}:${contact.id}:${occasion}`,
      mail: write({ sender: senderOf(owner), contactName: contact.name, link, baseUrl: app.baseUrl }),
    };
  });
  if (notified === 0) await tellOperator(app, tx, about, { why: questions[kind], asked: false });
  return notified;
}

function isQuestion(kind: MailKind): kind is Question {
  return Object.hasOwn(questions, kind);
}

/** Notifies the operator that a letter waits and no contact could be asked: one mail per owner, release and day (UTC). */
async function tellOperator(
  app: App,
  tx: Executor,
  { requestId, owner, at }: AboutRelease,
  { why, asked }: { why: 'refused' | 'unopened'; asked: boolean },
): Promise<void> {
  await enqueueToOperator(app, tx, {
    kind: 'operator.nobody-to-ask',
    userId: owner.id,
    subjectId: requestId,
    dedupeKey: `operator-nobody-to-ask:${why}${asked ? ':asked' : ''}:${requestId}:${dayOf(at)}`,
    at,
    mail: noContactToAskEmail({ ownerEmail: owner.email, why, asked, baseUrl: app.baseUrl }),
  });
}
