import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type AnyPgColumn, boolean, check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { bytes, instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';
import { trustedContacts } from './contacts.tables.ts';

export const notificationStatuses = ['pending', 'sending', 'accepted', 'bounced', 'dead', 'cancelled'] as const;
export const notificationChannels = ['email', 'sms', 'push', 'webhook'] as const;
/** Channels whose messages a person reads. The others say only that there is one. */
export const wordChannels = ['email', 'sms'] as const satisfies readonly (typeof notificationChannels)[number][];
export const notificationPolicies = ['standard', 'patient', 'owner-reminder', 'link-again', 'brief'] as const;

/** Key in the return path of a mail. It is derived from the Message-ID, so a mail that is written again has the same one. */
export const returnKey = (messageId: SQLWrapper) => sql`md5(${messageId})`;

type FailureColumns = Record<'channel' | 'acceptedAt' | 'status' | 'attempts', AnyPgColumn>;

/** True for a mail that was tried and not accepted: still tried, refused, bounced or given up. A first try in progress is none. */
export function isFailedMail({ channel, acceptedAt, status, attempts }: FailureColumns): SQL {
  return sql`(${channel} = 'email' and ${acceptedAt} is null and (${status} in ('bounced', 'dead')
    or ${status} = 'pending' and ${attempts} > 0 or ${status} = 'sending' and ${attempts} > 1))`;
}

/** One message to one person, written in the transaction of its cause. */
export const notifications = pgTable(
  'notifications',
  {
    id: uuid('id').primaryKey(),
    /** The owner whom it is about. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    channel: text('channel', { enum: notificationChannels }).notNull(),
    /** One of `server/mails.ts`, or of an earlier version of that list. */
    kind: text('kind').notNull(),
    /** The request, delivery or contact that caused it. */
    subjectId: uuid('subject_id'),
    /** The contact whom it is for; null for everybody else. */
    contactId: uuid('contact_id').references(() => trustedContacts.id, { onDelete: 'set null' }),
    /** Number of the owner's notice that it carries; its outcome is matched by that number. */
    notice: integer('notice'),
    /** Says "this very message": a repeated cause finds the row that is there. */
    dedupeKey: text('dedupe_key').notNull().unique(),
    /** Address, subject and both parts, sealed: they hold links. Emptied some time after the end. */
    payload: bytes('payload'),
    /** RFC 5322 Message-ID, the same at every attempt. */
    messageId: text('message_id').notNull(),
    status: text('status', { enum: notificationStatuses }).notNull().default('pending'),
    /** Patience of its kind when it was written; see notifications.retry.rules.ts. */
    policy: text('policy', { enum: notificationPolicies }).notNull().default('standard'),
    attempts: integer('attempts').notNull().default(0),
    /** Number of attempts that use up no patience: made while no mail left us at all, or asked for by the operator. */
    attemptsInVain: integer('attempts_in_vain').notNull().default(0),
    /** Number of permanently refused attempts. */
    refusals: integer('refusals').notNull().default(0),
    /** Time when its mailbox last refused it permanently, in an answer or in a report, whether or not that counts. */
    refusedAt: instant('refused_at'),
    /** Time when a server last refused it for a reason that is none of the mailbox: permanently, or for half a day. */
    troubledAt: instant('troubled_at'),
    /** HMAC of the mailbox that a mail goes to, and of its domain. Null for other channels. */
    mailboxKey: text('mailbox_key'),
    domainKey: text('domain_key'),
    notBefore: instant('not_before').notNull(),
    /** Time when it is looked at next: the next attempt, or the end of the lease of the one under way. */
    nextAttemptAt: instant('next_attempt_at'),
    leaseUntil: instant('lease_until'),
    /**
     * The mail was due and found frozen, so that claims skip it. The freeze itself is read from the subject, never
     * from here; see frozen-mail.ts.
     */
    isOnHold: boolean('is_on_hold').notNull().default(false),
    firstAttemptAt: instant('first_attempt_at'),
    lastAttemptAt: instant('last_attempt_at'),
    /** The last attempt was allowed to leave, and its outcome is unknown. */
    isLeaving: boolean('is_leaving').notNull().default(false),
    /** The mail server said 250 to the whole message, or the SMS provider answered with an id. */
    acceptedAt: instant('accepted_at'),
    endedAt: instant('ended_at'),
    /** Time when it last came back after it had been accepted. */
    bouncedAt: instant('bounced_at'),
    /** Time when an email in answer to it first came. What it says is stored nowhere. */
    repliedAt: instant('replied_at'),
    /** The provider's reply code, such as 550; its words may hold an address. */
    lastReplyCode: integer('last_reply_code'),
    providerId: text('provider_id'),
    /** The request or round that caused it, as a trace is passed on (W3C Trace Context); null where nothing is traced. */
    trace: text('trace'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    // All open mails, for counts. Claims skip the ones on hold as a group.
    index('notifications_due_index')
      .on(table.isOnHold, table.nextAttemptAt, table.id)
      .where(sql`${table.status} in ('pending', 'sending')`),
    // By the key in the return path of a mail that came back.
    index('notifications_return_key_index').on(returnKey(table.messageId)),
    index('notifications_subject_id_index').on(table.subjectId),
    index('notifications_user_id_notice_index').on(table.userId, table.notice).where(sql`${table.notice} is not null`),
    index('notifications_contact_id_index').on(table.contactId).where(sql`${table.contactId} is not null`),
    index('notifications_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
    index('notifications_accepted_at_index').on(table.acceptedAt.desc()).where(sql`${table.acceptedAt} is not null`),
    index('notifications_bounced_at_index').on(table.bouncedAt).where(sql`${table.bouncedAt} is not null`),
    index('notifications_replied_at_index')
      .on(table.userId, table.repliedAt)
      .where(sql`${table.repliedAt} is not null`),
    index('notifications_domain_accepted_index')
      .on(table.domainKey, table.acceptedAt)
      .where(sql`${table.acceptedAt} is not null`),
    index('notifications_mailbox_accepted_index')
      .on(table.domainKey, table.mailboxKey, table.acceptedAt)
      .where(sql`${table.acceptedAt} is not null`),
    index('notifications_domain_refused_index')
      .on(table.domainKey, table.refusedAt)
      .where(sql`${table.refusedAt} is not null`),
    index('notifications_troubled_at_index').on(table.troubledAt).where(sql`${table.troubledAt} is not null`),
    // By the Message-ID that an answer names.
    index('notifications_accepted_message_id_index').on(table.messageId).where(sql`${table.status} = 'accepted'`),
    index('notifications_lost_index')
      .on(table.lastAttemptAt)
      .where(sql`${table.status} = 'cancelled' and ${table.isLeaving}`),
    index('notifications_failed_mail_index').on(table.lastAttemptAt.desc(), table.id.desc()).where(isFailedMail(table)),
    index('notifications_failing_user_id_index')
      .on(table.userId)
      .where(sql`${table.status} = 'pending' and ${table.attempts} > 0`),
    // A mail is rewritten three times before its end, and no index of ends has to follow that.
    index('notifications_ended_at_index').on(table.endedAt).where(sql`${table.endedAt} is not null`),
    index('notifications_kept_payload_index')
      .on(table.endedAt)
      .where(sql`${table.endedAt} is not null and ${table.payload} is not null`),
    index('notifications_given_up_index').on(table.endedAt).where(sql`${table.status} in ('bounced', 'dead')`),
    check('notifications_channel_check', isOneOf(table.channel, notificationChannels)),
    check('notifications_status_check', isOneOf(table.status, notificationStatuses)),
    check('notifications_policy_check', isOneOf(table.policy, notificationPolicies)),
  ],
);

/** Domains so many of whose mailboxes refuse at once that none of them counts as closed. */
export const mailDomains = pgTable(
  'mail_domains',
  {
    domainKey: text('domain_key').primaryKey(),
    /** Since when, with no week between. After 30 days each refusal counts by itself again. */
    massRefusedSince: instant('mass_refused_since').notNull(),
    massRefusedAt: instant('mass_refused_at').notNull(),
  },
  (table) => [index('mail_domains_mass_refused_at_index').on(table.massRefusedAt)],
);

/** A text that asks something, and the answer to it. Phone, text and answer are sealed. */
export const smsNotifications = pgTable(
  'sms_notifications',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    notificationId: uuid('notification_id').references(() => notifications.id, { onDelete: 'set null' }),
    phone: text('phone').notNull(),
    message: text('message').notNull(),
    type: text('type').notNull(),
    status: text('status').notNull().default('pending'),
    sentAt: instant('sent_at'),
    respondedAt: instant('responded_at'),
    response: text('response'),
    expiresAt: instant('expires_at'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    index('sms_notifications_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
    index('sms_notifications_notification_id_index').on(table.notificationId),
    index('sms_notifications_created_at_index').on(table.createdAt),
  ],
);

/** Browsers on whose device an owner gets reminders. */
export const pushDevices = pgTable(
  'push_devices',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the endpoint, by which a browser recognises its own row. An endpoint can't be guessed. */
    endpointHash: text('endpoint_hash').notNull().unique(),
    /** Endpoint and keys, sealed: who has them can write to the device. */
    subscription: bytes('subscription').notNull(),
    /** Name of browser and system, as the list of devices shows it. */
    name: text('name').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [index('push_devices_user_id_index').on(table.userId)],
);

/** Numbers whose holders want no texts. A number is known by a value derived from it, and written nowhere. */
export const stoppedPhones = pgTable('stopped_phones', {
  phoneKey: text('phone_key').primaryKey(),
  stoppedAt: instant('stopped_at').notNull(),
});

/** Texts that came in, each of which acts once: what a provider has signed once stays signed for ever. */
export const receivedTexts = pgTable('received_texts', {
  /** HMAC of the provider's id. */
  idHash: text('id_hash').primaryKey(),
  receivedAt: instant('received_at').notNull(),
});

/** Keys that belong to the installation and not to a vault, wrapped by the master key. */
export const serviceKeys = pgTable('service_keys', {
  purpose: text('purpose').primaryKey(),
  keyVersion: integer('key_version').notNull(),
  wrappedKey: bytes('wrapped_key').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});
