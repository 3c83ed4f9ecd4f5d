import { pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

/** Whom an identity provider knows by which name. The address it gives may change hands, so it is not kept here. */
export const userIdentities = pgTable(
  'user_identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    // Two people at one provider never share a vault, whatever happened to the address.
    unique('user_identities_user_id_issuer_unique').on(table.userId, table.issuer),
  ],
);
