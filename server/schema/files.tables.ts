import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';

/**
 * Every file in the store has a row here, written before its first byte is. Documents and messages refer to it, so
 * that the database itself keeps a file from being removed that something refers to, and a row that nothing refers to
 * is a file to be removed, whatever happened to its owner.
 */
export const fileObjects = pgTable(
  'file_objects',
  {
    /** Its key in the store, a UUID that says nothing of its owner. */
    path: text('path').primaryKey(),
    /** Of a picture in a letter how many pixels it has as it is shown; null for what is none, or does not tell. */
    pictureWidth: integer('picture_width'),
    pictureHeight: integer('picture_height'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [index('file_objects_created_at_index').on(table.createdAt)],
);
