import { bigint, check, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { deletedKinds } from '#shared/rules/retention.ts';
import { users } from './accounts.tables.ts';
import { fileObjects } from './files.tables.ts';

/**
 * Deleted items that their owner can restore. They are out of their own table, so that nothing else can show or send
 * them.
 */
export const recentlyDeleted = pgTable(
  'recently_deleted',
  {
    /** The id that it had, and has again if it comes back. */
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: deletedKinds }).notNull(),
    /** The row as it stood, column by column; words are sealed in it as they were. */
    row: jsonb('row').$type<Record<string, unknown>>().notNull(),
    /** Recipient rows of a message. */
    recipients: jsonb('recipients').$type<Record<string, unknown>[]>().notNull(),
    /** Enclosure rows of a message. */
    enclosures: jsonb('enclosures').$type<Record<string, unknown>[]>().notNull(),
    /** Bytes of the row, its dependent rows and its files. */
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    deletedAt: instant('deleted_at').notNull(),
  },
  (table) => [
    index('recently_deleted_user_id_deleted_at_index').on(table.userId, table.deletedAt.desc()),
    index('recently_deleted_deleted_at_index').on(table.deletedAt),
    check('recently_deleted_kind_check', isOneOf(table.kind, deletedKinds)),
  ],
);

/** The files that those rows name, each of which stays in the store for as long as its row does. */
export const recentlyDeletedFiles = pgTable(
  'recently_deleted_files',
  {
    filePath: text('file_path')
      .primaryKey()
      .references(() => fileObjects.path),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    deletedId: uuid('deleted_id')
      .notNull()
      .references(() => recentlyDeleted.id, { onDelete: 'cascade' }),
    fileSize: bigint('file_size', { mode: 'number' }).notNull(),
  },
  (table) => [
    index('recently_deleted_files_deleted_id_index').on(table.deletedId),
    index('recently_deleted_files_user_id_index').on(table.userId),
  ],
);
