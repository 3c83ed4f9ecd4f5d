import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { addressSources, deliveryStatuses } from '#shared/rules/deliveries.ts';
import { users } from './accounts.tables.ts';
import { trustedContacts } from './contacts.tables.ts';
import { messages } from './messages.tables.ts';
import { releaseRequests } from './release.tables.ts';

/** One letter: a message on its way to one of those it is for. */
export const messageDeliveries = pgTable(
  'message_deliveries',
  {
    id: uuid('id').primaryKey(),
    messageId: uuid('message_id')
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    requestId: uuid('request_id')
      .notNull()
      .references(() => releaseRequests.id, { onDelete: 'cascade' }),
    /** The refused delivery whose place this one takes, at another address; null for the first of a message. */
    replacesDeliveryId: uuid('replaces_delivery_id').references((): AnyPgColumn => messageDeliveries.id, {
      onDelete: 'cascade',
    }),
    /** For whom of the message it is. Their row may be changed or removed later, so address and name are kept here too. */
    recipientId: uuid('recipient_id').notNull(),
    /** Sealed with the owner's vault key, as is the name, which is the empty text where there is none. */
    recipientEmail: text('recipient_email').notNull(),
    recipientName: text('recipient_name').notNull(),
    /** HMAC over owner, name and address: the same for all letters from one owner to one person. */
    personKey: text('person_key').notNull(),
    /**
     * Key under which its reader's word about further letters applies. It is the first `personKey` of the letter, and
     * another address from contacts does not change it.
     */
    sayKey: text('say_key').notNull(),
    /** The mail that brings it, with other letters for the same person: the subject of its notifications. */
    mailId: uuid('mail_id').notNull(),
    /** Number of the owner's release, and number of earlier deliveries of this message to this address in it. */
    releaseNumber: integer('release_number').notNull(),
    earlierTries: integer('earlier_tries').notNull().default(0),
    /** Source of that address. */
    addressFrom: text('address_from', { enum: addressSources }).notNull().default('owner'),
    /** HMAC of the derived token in the link; see `HashToken`. */
    deliveryToken: text('delivery_token').notNull().unique(),
    status: text('status', { enum: deliveryStatuses }).notNull().default('pending'),
    /** Time when it leaves; null if it left with its release. */
    dueAt: instant('due_at'),
    /** Number of reminders because the link was not opened. */
    remindersSent: integer('reminders_sent').notNull().default(0),
    deliveredAt: instant('delivered_at'),
    /** The first opening by a person. */
    accessedAt: instant('accessed_at'),
    /**
     * Time when the link dies where no outage lengthens its life. Counted from the acceptance; until then, from the
     * creation.
     */
    expiresAt: instant('expires_at').notNull(),
    /** Healthy time when its 30 days began; null until then. */
    linkBeganHealthyMs: bigint('link_began_healthy_ms', { mode: 'number' }),
    /** Time when its reader asked us to keep it, or for no reminders. It is not sent again, and no contact is asked. */
    answeredAt: instant('answered_at'),
    /** End of the year for which its reader has it kept, if no outage extends it. Null until the reader asks for it. */
    keptUntil: instant('kept_until'),
    /** Healthy time when that year began. */
    keptFromHealthyMs: bigint('kept_from_healthy_ms', { mode: 'number' }),
    /** Time when its mailbox first refused it, and contacts were notified. It is still tried after that. */
    refusedAt: instant('refused_at'),
    endedAt: instant('ended_at'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    // A release sends a message to each recipient once. Each refusal allows one more delivery, to another address. A
    // delivery that was cancelled before any letter left can be queued again, even if it turns out to have just left.
    uniqueIndex('message_deliveries_one_a_release_unique')
      .on(table.requestId, table.messageId, table.recipientId)
      .where(sql`${table.replacesDeliveryId} is null and ${table.status} not in ('cancelled', 'withdrawn')`),
    uniqueIndex('message_deliveries_replaces_delivery_id_unique').on(table.replacesDeliveryId),
    // A delivery that was stopped or refused leaves its letter free for a later release; any other is the only one.
    uniqueIndex('message_deliveries_one_effective_unique')
      .on(table.messageId, table.recipientId)
      .where(sql`${table.status} in ('waiting', 'pending', 'accepted')`),
    index('message_deliveries_request_id_status_index').on(table.requestId, table.status),
    index('message_deliveries_request_id_person_key_index').on(table.requestId, table.personKey),
    index('message_deliveries_message_id_recipient_id_index').on(table.messageId, table.recipientId),
    index('message_deliveries_mail_id_index').on(table.mailId),
    index('message_deliveries_unopened_index')
      .on(table.linkBeganHealthyMs, table.id)
      .where(sql`${table.status} = 'accepted' and ${table.accessedAt} is null`),
    index('message_deliveries_waiting_index').on(table.userId, table.dueAt).where(sql`${table.status} = 'waiting'`),
    index('message_deliveries_user_id_index').on(table.userId),
    check('message_deliveries_status_check', isOneOf(table.status, deliveryStatuses)),
    check('message_deliveries_kept_check', sql`(${table.keptUntil} is null) = (${table.keptFromHealthyMs} is null)`),
    check('message_deliveries_due_at_check', sql`${table.status} <> 'waiting' or ${table.dueAt} is not null`),
    check('message_deliveries_address_from_check', isOneOf(table.addressFrom, addressSources)),
  ],
);

/**
 * Readers who said that they want no more letters from an owner. Their letters with a day of their own wait for the
 * word of the reader or of a contact. No page, export or log of the owner has it.
 */
export const decliningReaders = pgTable(
  'declining_readers',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** A `person_key` or a `say_key` of `message_deliveries`. */
    personKey: text('person_key').notNull(),
    /** Number of times that they said so. The ledger names each, so that a restored backup forgets none. */
    times: integer('times').notNull(),
    /** Null since it was taken back. */
    declinedAt: instant('declined_at'),
    /** Time when a contact took it back, and the id of the contact, whose page stays for a while. Null if the reader did. */
    takenBackAt: instant('taken_back_at'),
    takenBackBy: uuid('taken_back_by'),
  },
  (table) => [uniqueIndex('declining_readers_person_unique').on(table.userId, table.personKey)],
);

/** True if the reader of a letter wants no more of them. Tables are named in full, as in `statusNow`. */
export const isDeclined = sql<boolean>`exists (
  select 1 from declining_readers
  where declining_readers.user_id = message_deliveries.user_id
    and declining_readers.person_key in (message_deliveries.say_key, message_deliveries.person_key)
    and declining_readers.declined_at is not null
)`;

/**
 * Letters that were damaged at their release, with a notice about it. Each is sent alone once it opens again. Letters
 * that an owner makes ready during a release are not among them.
 */
export const heldBackLetters = pgTable(
  'held_back_letters',
  {
    requestId: uuid('request_id')
      .notNull()
      .references(() => releaseRequests.id, { onDelete: 'cascade' }),
    messageId: uuid('message_id')
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    recipientId: uuid('recipient_id').notNull(),
    heldBackAt: instant('held_back_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.requestId, table.messageId, table.recipientId] }),
    index('held_back_letters_message_id_index').on(table.messageId),
  ],
);

/**
 * Releases whose owner has come back, while the unsent letters are not yet recorded as cancelled. As long as a row
 * exists, none of this owner's letters reach a recipient, so the delay is invisible.
 */
export const releaseHalts = pgTable(
  'release_halts',
  {
    requestId: uuid('request_id')
      .primaryKey()
      .references(() => releaseRequests.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    haltedAt: instant('halted_at').notNull(),
  },
  (table) => [index('release_halts_user_id_index').on(table.userId)],
);

/**
 * Status of a letter for reads without the owner's lock. A stopped letter that has not left is cancelled, even if
 * that is not recorded yet. It is part of the statement that reads the row. Tables are named in full, because the
 * builder omits their names for a single table.
 */
export const statusNow = sql<(typeof deliveryStatuses)[number]>`case
  when message_deliveries.status = 'pending' and exists (
    select 1 from release_halts where release_halts.request_id = message_deliveries.request_id
  ) then 'cancelled' else message_deliveries.status end`;

/** The link by which one contact can propose another address for a letter of one release that was refused. */
export const newAddressLinks = pgTable(
  'new_address_links',
  {
    requestId: uuid('request_id')
      .notNull()
      .references(() => releaseRequests.id, { onDelete: 'cascade' }),
    contactId: uuid('contact_id')
      .notNull()
      .references(() => trustedContacts.id, { onDelete: 'cascade' }),
    /** HMAC of the derived token in the link; see `HashToken`. */
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.requestId, table.contactId] }),
    index('new_address_links_contact_id_index').on(table.contactId),
  ],
);

/** Mailboxes that an account's releases have written to. They stay when a letter is deleted, so that counting can't start again. */
export const reachedMailboxes = pgTable(
  'reached_mailboxes',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** HMAC of the folded address, see `mailboxOf`. */
    mailbox: text('mailbox').notNull(),
    /** True if silence wrote to it first, or the operator had looked. It does not count towards a review. */
    isReviewed: boolean('is_reviewed').notNull(),
    reachedAt: instant('reached_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.mailbox] })],
);
