import { sql } from 'drizzle-orm';
import { bigint, boolean, index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';
import { mailboxColumn } from '#server/platform/db/mailbox-column.ts';
import { users } from './accounts.tables.ts';

export const trustedContacts = pgTable(
  'trusted_contacts',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Sealed with the owner's vault key, as are phone and relationship. */
    name: text('name').notNull(),
    /** In the clear: a contact's own account and an emergency request are matched by it. */
    email: text('email').notNull(),
    phone: text('phone'),
    relationship: text('relationship'),
    /** From the owner, for the invitation. Sealed too. */
    word: text('word'),
    isActive: boolean('is_active').notNull().default(false),
    isConfirmed: boolean('is_confirmed').notNull().default(false),
    /** Sees the owner’s page for the first weeks after a release. */
    seesFirstWeeks: boolean('sees_first_weeks').notNull().default(false),
    /** HMAC of the token in the invitation. */
    confirmationToken: text('confirmation_token').unique(),
    confirmationExpires: instant('confirmation_expires'),
    /**
     * Time when the invitation left, or will leave. Null while it is held back because the owner's address is not
     * verified yet.
     */
    confirmationSentAt: instant('confirmation_sent_at'),
    confirmedAt: instant('confirmed_at'),
    /** The service's healthy time of the acceptance, so that a later outage does not count as time in the role. */
    confirmedHealthyMs: bigint('confirmed_healthy_ms', { mode: 'number' }),
    declinedAt: instant('declined_at'),
    /** Key of the last change of the owner's words. */
    version: uuid('version').notNull().defaultRandom(),
    /** Key of the request that created the row; null if it named none. */
    createdAs: uuid('created_as'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    // One person must not be able to count twice towards a quorum. Other spellings of a mailbox are refused under the owner's lock.
    unique('trusted_contacts_user_id_email_unique').on(table.userId, table.email),
    index('trusted_contacts_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
    index('trusted_contacts_mailbox_index').on(mailboxColumn(sql.raw('email'))),
    index('trusted_contacts_confirmed_healthy_ms_index').on(table.confirmedHealthyMs),
  ],
);

export const trusteeRelationships = pgTable(
  'trustee_relationships',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    trusteeUserId: uuid('trustee_user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    ownerUserId: uuid('owner_user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    trustedContactId: uuid('trusted_contact_id')
      .notNull()
      .references(() => trustedContacts.id, { onDelete: 'cascade' }),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    unique('trustee_relationships_trusted_contact_id_unique').on(table.trustedContactId),
    index('trustee_relationships_trustee_user_id_index').on(table.trusteeUserId),
    index('trustee_relationships_owner_user_id_index').on(table.ownerUserId),
  ],
);
