import { createHash, randomUUID } from 'node:crypto';
import { type MailKind, type NoticeEvent, patienceOf } from '#server/mails.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { domainOf, parseMailAddress } from '#server/platform/mail/addresses.ts';
import { toInternationalPhone } from '#server/platform/sms/phone-number.ts';
import { currentTrace } from '#server/platform/tracing/tracing.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';
import { type Payload, sealPayload, sealTextColumn } from './notifications.payload.ts';
import type { NewTextRow } from './notifications.repository.ts';

type Cause = {
  kind: MailKind;
  /** The owner it is about; null when no account is concerned. */
  userId: string | null;
  /** The request, delivery or contact that caused it. */
  subjectId: string | null;
  /** The contact whom it is for. */
  contactId?: string | undefined;
  /** The number of the owner's notice that it carries. */
  notice?: number | undefined;
  /** Says "this very message": a repeated cause finds the row that is there. */
  dedupeKey: string;
  at: Date;
  /** Not sent earlier than this; `at` when left out. */
  notBefore?: Date | undefined;
  /** Local part of the Message-ID, for a mail whose id is derived; random when left out. Kept with the row. */
  messageIdSeed?: string | undefined;
};

export type NewEmail = Cause & {
  channel: 'email';
  to: { address: string; name?: string | undefined };
  /** `headers` are of this mail alone, such as how to get no more of its kind. */
  mail: { subject: string; html: string; text: string; headers?: Record<string, string> };
  /** Further values for `writeAtDeparture` of this kind, such as the links of this mail. */
  given?: Record<string, string> | undefined;
};

export type NewText = Cause & { channel: 'sms'; phone: string; text: string };

/** Goes with a mail: to a device of its owner, or to the operator's own notifier. It never holds a word of the mail. */
export type NewCompanion = Cause & { policy: 'brief' } & (
    | { channel: 'push'; device: string }
    | { channel: 'webhook'; event: NoticeEvent }
  );

export type NewNotification = NewEmail | NewText | NewCompanion;

/** Sealed part of a message. */
function payloadOf(notification: NewNotification): Payload {
  if (notification.channel === 'sms') {
    const phone = toInternationalPhone(notification.phone) ?? notification.phone;
    return { channel: 'sms', phone, text: notification.text };
  }
  if (notification.channel === 'push') return { channel: 'push', device: notification.device };
  if (notification.channel === 'webhook') return { channel: 'webhook', event: notification.event };
  return { channel: 'email', to: notification.to, given: notification.given, ...notification.mail };
}

/** Values that tell mailboxes and domains apart and name neither. */
function mailboxKeysOf(keys: ServiceKeys, notification: NewNotification) {
  if (notification.channel !== 'email') return { mailboxKey: null, domainKey: null };
  const { address } = notification.to;
  return {
    mailboxKey: mailboxKeyOf(keys, address),
    domainKey: keys.derive('mail-domain', domainOf(mailboxOf(address))),
  };
}

export function mailboxKeyOf(keys: ServiceKeys, address: string): string {
  return keys.derive('mailbox', mailboxOf(address));
}

/** Row of a text to an owner. */
export function textRows(keys: ServiceKeys, notificationId: string, text: NewNotification): NewTextRow[] {
  if (text.channel !== 'sms' || text.userId === null) return [];
  const id = randomUUID();
  return [
    {
      id,
      userId: text.userId,
      notificationId,
      phone: sealTextColumn(keys, { column: 'phone', id }, text.phone),
      message: sealTextColumn(keys, { column: 'message', id }, text.text),
      type: text.kind,
      createdAt: text.at,
    },
  ];
}

/** The row of a message before its first attempt. */
export function writtenRow(
  notification: NewNotification,
  { serviceKeys, messageIdDomain }: { serviceKeys: ServiceKeys; messageIdDomain: string },
) {
  const id = randomUUID();
  const notBefore = notification.notBefore ?? notification.at;
  return {
    id,
    userId: notification.userId,
    channel: notification.channel,
    kind: notification.kind,
    subjectId: notification.subjectId,
    contactId: notification.contactId ?? null,
    notice: notification.notice ?? null,
    dedupeKey: notification.dedupeKey,
    payload: sealPayload(serviceKeys, id, payloadOf(notification)),
    messageId: messageIdOf(notification.messageIdSeed ?? id, messageIdDomain),
    ...mailboxKeysOf(serviceKeys, notification),
    policy: 'policy' in notification ? notification.policy : patienceOf(notification.kind),
    notBefore,
    trace: currentTrace(),
    nextAttemptAt: notBefore,
    createdAt: notification.at,
  };
}

/** A seed is base64url, which a Message-ID may contain. */
const seedForm = /^[A-Za-z0-9_-]{16,64}$/;

export function messageIdOf(local: string, domain: string): string {
  if (!seedForm.test(local)) throw new TypeError('A seed for a Message-ID is 16 to 64 characters of base64url.');
  return `<${local}@${domain}>`;
}

/** Key in the return path of a mail, as `returnKey` of the schema. The return path is signed, so the hash keeps no secret. */
export function returnKeyOf(messageId: string): string {
  return createHash('md5').update(messageId).digest('hex');
}

/** Domain of every Message-ID: the sender's domain, as Punycode (RFC 5891). */
export function messageIdDomainOf(mailFrom: string): string {
  return new URL(`http://${domainOf(parseMailAddress(mailFrom).address)}`).hostname;
}
