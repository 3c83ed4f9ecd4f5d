import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { messageCategories, messageStatuses } from '#shared/rules/categories.ts';
import { users } from './accounts.tables.ts';
import { fileObjects } from './files.tables.ts';

export const messages = pgTable(
  'messages',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Sealed with the owner's vault key, as are content, recipient and file name. */
    title: text('title').notNull(),
    content: text('content').notNull(),
    /** What the browser itself sealed with a passphrase that we never see. */
    encryptedContent: text('encrypted_content'),
    recipientEmail: text('recipient_email').notNull(),
    category: text('category', { enum: messageCategories }).notNull().default('personal'),
    status: text('status', { enum: messageStatuses }).notNull().default('draft'),
    visibleToTrustedContact: boolean('visible_to_trusted_contact').notNull().default(false),
    hasAttachment: boolean('has_attachment').notNull().default(false),
    attachmentPath: text('attachment_path').references(() => fileObjects.path),
    attachmentOriginalName: text('attachment_original_name'),
    attachmentSize: bigint('attachment_size', { mode: 'number' }),
    attachmentMimeType: text('attachment_mime_type'),
    deliveredAt: instant('delivered_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('messages_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
    index('messages_ready_index').on(table.userId).where(sql`${table.status} = 'ready'`),
    // Most messages have none, and writing one must not pay for it.
    uniqueIndex('messages_attachment_path_unique')
      .on(table.attachmentPath)
      .where(sql`${table.attachmentPath} is not null`),
    check('messages_category_check', isOneOf(table.category, messageCategories)),
    check('messages_status_check', isOneOf(table.status, messageStatuses)),
  ],
);
