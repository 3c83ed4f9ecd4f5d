import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';

/**
 * Each file in the store has a row here, written before its first byte. Documents and messages refer to it, so the
 * database prevents the removal of a file in use. A row without a reference marks a file to remove, whatever happened
 * to its owner.
 */
export const fileObjects = pgTable(
  'file_objects',
  {
    /** Its key in the store, a UUID that says nothing of its owner. */
    path: text('path').primaryKey(),
    /** Pixels of a letter's picture as shown; null for other files, or if unknown. */
    pictureWidth: integer('picture_width'),
    pictureHeight: integer('picture_height'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [index('file_objects_created_at_index').on(table.createdAt)],
);
