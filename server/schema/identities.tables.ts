import { index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

/** Identities that open an account. Issuer and subject name the person; the address at the provider may change hands. */
export const userIdentities = pgTable(
  'user_identities',
  {
    /** Names the identity to its owner, in place of the subject. */
    id: uuid('id').notNull().unique().defaultRandom(),
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Address that the provider gave at the last sign-in, for the owner's list alone. No account is found by it. */
    email: text('email'),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Last sign-in or confirmation with it; null before the first. */
    lastUsedAt: instant('last_used_at'),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    // Two people at one provider never share a vault, whatever happened to the address.
    unique('user_identities_user_id_issuer_unique').on(table.userId, table.issuer),
  ],
);

/** One row for each mail that asks for a link between an account and an identity, or that reports one. */
export const identityLinks = pgTable(
  'identity_links',
  {
    /** HMAC of the token behind "This was not me", never the token. */
    notMeHash: text('not_me_hash').primaryKey(),
    /** HMAC of the token behind the button that links; null in a report, and after the link was made or refused. */
    linkHash: text('link_hash').unique(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    /** Address that the provider vouched for. */
    email: text('email'),
    createdAt: instant('created_at').notNull(),
    linkExpiresAt: instant('link_expires_at').notNull(),
    /** Time when "This was not me" was pressed; the identity asks for no link again until the row expires. */
    refusedAt: instant('refused_at'),
    /** End of "This was not me". */
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('identity_links_user_id_index').on(table.userId),
    index('identity_links_expires_at_index').on(table.expiresAt),
  ],
);
