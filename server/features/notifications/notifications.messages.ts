import { randomUUID } from 'node:crypto';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { domainOf } from '#server/platform/mail/addresses.ts';
import { toInternationalPhone } from '#server/platform/sms/phone-number.ts';
import { currentTrace } from '#server/platform/tracing/tracing.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';
import { messageIdOf } from './notifications.message-id.ts';
import { type Payload, sealPayload, sealTextColumn } from './notifications.payload.ts';
import type { NewTextRow } from './notifications.repository.ts';
import type { DeliveryPolicy } from './notifications.retry.rules.ts';

type Cause = {
  /** What it is, with the feature first: 'delivery.letter'. */
  kind: string;
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
  policy?: DeliveryPolicy | undefined;
};

export type NewEmail = Cause & {
  channel: 'email';
  to: { address: string; name?: string | undefined };
  /** `headers` are of this mail alone, such as how to get no more of its kind. */
  mail: { subject: string; html: string; text: string; headers?: Record<string, string> };
  /** What `writeAtDeparture` of this kind is given besides, such as the links of this very mail. */
  given?: Record<string, string> | undefined;
};

export type NewText = Cause & { channel: 'sms'; phone: string; text: string };

export type NewNotification = NewEmail | NewText;

/** What is sealed of a message. */
function payloadOf(notification: NewNotification): Payload {
  if (notification.channel === 'sms') {
    const phone = toInternationalPhone(notification.phone) ?? notification.phone;
    return { channel: 'sms', phone, text: notification.text };
  }
  return { channel: 'email', to: notification.to, given: notification.given, ...notification.mail };
}

/** Values that tell mailboxes and domains apart and name neither. */
function mailboxKeysOf(keys: Pick<ServiceKeys, 'derive'>, notification: NewNotification) {
  if (notification.channel === 'sms') return { mailboxKey: null, domainKey: null };
  const { address } = notification.to;
  return {
    mailboxKey: mailboxKeyOf(keys, address),
    domainKey: keys.derive('mail-domain', domainOf(mailboxOf(address))),
  };
}

export function mailboxKeyOf(keys: Pick<ServiceKeys, 'derive'>, address: string): string {
  return keys.derive('mailbox', mailboxOf(address));
}

/** The text's own row, where it is a text to an owner. */
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
    policy: notification.policy ?? 'standard',
    notBefore,
    trace: currentTrace(),
    nextAttemptAt: notBefore,
    createdAt: notification.at,
  };
}
