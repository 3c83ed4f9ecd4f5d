import { bigint, boolean, check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { documentCategories } from '#shared/rules/categories.ts';
import { users } from './accounts.tables.ts';
import { fileObjects } from './files.tables.ts';

export const documents = pgTable(
  'documents',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Sealed, as are description and file name. */
    name: text('name').notNull(),
    category: text('category', { enum: documentCategories }).notNull(),
    description: text('description'),
    /** The name under which it is downloaded. */
    fileName: text('file_name').notNull(),
    filePath: text('file_path')
      .notNull()
      .unique()
      .references(() => fileObjects.path),
    fileSize: bigint('file_size', { mode: 'number' }).notNull(),
    mimeType: text('mime_type').notNull(),
    /** Not used: the file that `filePath` names is the encrypted one, and there is no other. */
    encryptedPath: text('encrypted_path'),
    visibleToTrustedContact: boolean('visible_to_trusted_contact').notNull().default(false),
    /** Key of the last change of the owner's words. */
    version: uuid('version').notNull().defaultRandom(),
    /** Key of the request that created the row; null if it named none. */
    createdAs: uuid('created_as'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('documents_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
    check('documents_category_check', isOneOf(table.category, documentCategories)),
  ],
);
