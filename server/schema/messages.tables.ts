import { isNotNull, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { messageCategories, messageStatuses } from '#shared/rules/categories.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { enclosureKinds } from '#shared/rules/letters/enclosures.ts';
import { users } from './accounts.tables.ts';
import { fileObjects } from './files.tables.ts';

export const messages = pgTable(
  'messages',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Sealed with the owner's vault key, as are content and file name. */
    title: text('title').notNull(),
    content: text('content').notNull(),
    /** Text that the browser sealed with a passphrase that we never see. */
    encryptedContent: text('encrypted_content'),
    category: text('category', { enum: messageCategories }).notNull().default('personal'),
    status: text('status', { enum: messageStatuses }).notNull().default('draft'),
    visibleToTrustedContact: boolean('visible_to_trusted_contact').notNull().default(false),
    /** True if each reader sees for whom else it is. */
    showRecipients: boolean('show_recipients').notNull().default(false),
    /** Day of delivery; null for delivery with the release. */
    deliverOn: jsonb('deliver_on').$type<DeliverOn>(),
    /** True if a reader hears before its day that it waits. */
    announceWait: boolean('announce_wait').notNull().default(false),
    /** Its place among letters to one person, in the writer's order; those of the same place stand in the order of writing. */
    position: integer('position').notNull().default(1),
    hasAttachment: boolean('has_attachment').notNull().default(false),
    attachmentPath: text('attachment_path').references(() => fileObjects.path),
    attachmentOriginalName: text('attachment_original_name'),
    attachmentSize: bigint('attachment_size', { mode: 'number' }),
    attachmentMimeType: text('attachment_mime_type'),
    /** Transcript of the file, sealed; null if none was written. */
    attachmentTranscript: text('attachment_transcript'),
    /** Time when the first of those it is for had it; the others may still wait. */
    deliveredAt: instant('delivered_at'),
    /** Key of the last change of the owner's words. */
    version: uuid('version').notNull().defaultRandom(),
    /** Key of the request that created the row; null if it named none. */
    createdAs: uuid('created_as'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('messages_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
    index('messages_delivered_index').on(table.userId, table.deliveredAt).where(sql`${table.status} = 'delivered'`),
    index('messages_ready_index').on(table.userId).where(sql`${table.status} = 'ready'`),
    // Most messages have none, and writing one must not pay for it.
    uniqueIndex('messages_attachment_path_unique')
      .on(table.attachmentPath)
      .where(sql`${table.attachmentPath} is not null`),
    check('messages_category_check', isOneOf(table.category, messageCategories)),
    check('messages_deliver_on_check', sql`jsonb_typeof(${table.deliverOn}) in ('string', 'object')`),
    check('messages_status_check', isOneOf(table.status, messageStatuses)),
  ],
);

/** For whom a message is. The number of its rows is fixed by the contract; the first is the `recipientEmail` of the API. */
export const messageRecipients = pgTable(
  'message_recipients',
  {
    id: uuid('id').primaryKey(),
    messageId: uuid('message_id')
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    /** From 1, in the order in which the writer named them. */
    position: integer('position').notNull(),
    /** Name, relation and address in one value, sealed with the owner's vault key: lists open each of them. */
    person: text('person').notNull(),
    /** Time when the writer gave the address, or last said that it is still right. */
    addressSince: instant('address_since').notNull().defaultNow(),
  },
  (table) => [uniqueIndex('message_recipients_message_id_position_unique').on(table.messageId, table.position)],
);

/** Enclosures of a letter, in addition to its text and its attachment. The contract limits the number of each kind. */
export const messageEnclosures = pgTable(
  'message_enclosures',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    messageId: uuid('message_id')
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: enclosureKinds }).notNull(),
    /** Picture of which this is the original; null for all other enclosures. */
    originalOf: uuid('original_of').references((): AnyPgColumn => messageEnclosures.id, { onDelete: 'cascade' }),
    /**
     * Put in beside sealed words that are about to lose their passphrase: one number for all that one page puts in. No part of
     * the letter, and gone in a day, unless those words take it in; null for whatever lies in the letter.
     */
    staging: uuid('staging'),
    /** From 1, in the writer's order; an original has the place of its picture. */
    position: integer('position').notNull(),
    /** After which paragraph of the letter it stands: 0 before the first, null at the end. */
    afterParagraph: integer('after_paragraph'),
    /** Sealed with the owner's vault key, as are transcript and name; the empty text where there is none. */
    caption: text('caption').notNull(),
    transcript: text('transcript').notNull(),
    fileName: text('file_name').notNull(),
    filePath: text('file_path')
      .notNull()
      .references(() => fileObjects.path),
    fileSize: bigint('file_size', { mode: 'number' }).notNull(),
    mimeType: text('mime_type').notNull(),
    /** Key of the request that created the row; null if it named none. */
    createdAs: uuid('created_as'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    index('message_enclosures_message_id_position_index').on(table.messageId, table.position),
    index('message_enclosures_user_id_index').on(table.userId),
    index('message_enclosures_staged_index').on(table.createdAt).where(isNotNull(table.staging)),
    uniqueIndex('message_enclosures_file_path_unique').on(table.filePath),
    uniqueIndex('message_enclosures_original_of_unique').on(table.originalOf),
    check('message_enclosures_kind_check', isOneOf(table.kind, enclosureKinds)),
  ],
);

/** Owners whose ready messages changed, and when they were last emailed about it. The changes are in the audit log. */
export const readyChanges = pgTable(
  'ready_changes',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Time of the oldest change that no email names yet; null if there is none. */
    since: instant('since'),
    toldAt: instant('told_at'),
  },
  (table) => [index('ready_changes_since_index').on(table.since).where(sql`${table.since} is not null`)],
);
