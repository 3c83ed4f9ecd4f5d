import { index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';
import { messages } from './messages.tables.ts';

/** Letters while they are being written: one for each saved letter, and one for a new one. */
export const messageDrafts = pgTable(
  'message_drafts',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null for a letter that is not saved yet. */
    messageId: uuid('message_id').references(() => messages.id, { onDelete: 'cascade' }),
    /** Sealed. */
    content: text('content').notNull(),
    version: integer('version').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    unique('message_drafts_user_id_message_id_unique').on(table.userId, table.messageId).nullsNotDistinct(),
    index('message_drafts_message_id_index').on(table.messageId),
  ],
);
