import { and, eq, inArray, sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { proposalStatuses } from '#shared/rules/deliveries.ts';
import { users } from './accounts.tables.ts';
import { trustedContacts } from './contacts.tables.ts';
import { messageDeliveries } from './delivery.tables.ts';
import { releaseRequests } from './release.tables.ts';

/** Another address that a contact knows for a recipient whose own has refused a letter. */
export const addressProposals = pgTable(
  'address_proposals',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    requestId: uuid('request_id')
      .notNull()
      .references(() => releaseRequests.id, { onDelete: 'cascade' }),
    /** The refused one. */
    deliveryId: uuid('delivery_id')
      .notNull()
      .references(() => messageDeliveries.id, { onDelete: 'cascade' }),
    /** Contact who proposed it. */
    contactId: uuid('contact_id')
      .notNull()
      .references(() => trustedContacts.id, { onDelete: 'cascade' }),
    /** Sealed with the owner's vault key. */
    address: text('address').notNull(),
    /** Sealed with the owner's vault key: how they know it. */
    reason: text('reason').notNull(),
    status: text('status', { enum: proposalStatuses }).notNull(),
    createdAt: instant('created_at').notNull(),
    /**
     * Since when it waits for others, or for its time, in healthy time; null while it stands still, until it begins
     * again. And when to look at it again.
     */
    waitsFromHealthyMs: bigint('waits_from_healthy_ms', { mode: 'number' }),
    lookAt: instant('look_at'),
    /** Number of times that the others were asked to agree. */
    asksSent: integer('asks_sent').notNull().default(0),
    /** The contact who agreed, or said no. */
    answeredBy: uuid('answered_by').references(() => trustedContacts.id, { onDelete: 'set null' }),
    endedAt: instant('ended_at'),
  },
  (table) => [
    uniqueIndex('address_proposals_one_live_unique')
      .on(table.deliveryId)
      .where(sql`${table.status} in ('proposed', 'waiting')`),
    index('address_proposals_look_at_index').on(table.lookAt).where(sql`${table.status} in ('proposed', 'waiting')`),
    index('address_proposals_request_id_index').on(table.requestId),
    index('address_proposals_user_id_index').on(table.userId),
    index('address_proposals_contact_id_index').on(table.contactId),
    index('address_proposals_answered_by_index').on(table.answeredBy),
    check('address_proposals_status_check', isOneOf(table.status, proposalStatuses)),
  ],
);

/** Another email address of a silent owner, given by a contact because no channel accepted a reminder. */
export const givenAddresses = pgTable(
  'given_addresses',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    requestId: uuid('request_id')
      .notNull()
      .references(() => releaseRequests.id, { onDelete: 'cascade' }),
    /** The contact who gave it. */
    contactId: uuid('contact_id')
      .notNull()
      .references(() => trustedContacts.id, { onDelete: 'cascade' }),
    /** Sealed with the owner's vault key. */
    address: text('address').notNull(),
    /** HMAC of the mailbox. It is written to once for an owner, however often it is given. */
    mailboxKey: text('mailbox_key').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('given_addresses_one_a_contact_unique').on(table.requestId, table.contactId),
    uniqueIndex('given_addresses_mailbox_unique').on(table.userId, table.mailboxKey),
    index('given_addresses_contact_id_index').on(table.contactId),
  ],
);

export const isLiveProposal = inArray(addressProposals.status, ['proposed', 'waiting']);

/** Ended by a restore, and its proposer not yet notified. Nothing else is checked at that end. */
export const isProposalToBeTold = and(
  eq(addressProposals.status, 'ended'),
  eq(addressProposals.lookAt, addressProposals.endedAt),
);
