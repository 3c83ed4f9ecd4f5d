import { sql } from 'drizzle-orm';
import { bigint, check, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';

/** Reading position in the bounce mailbox (`BOUNCE_MAILBOX`). One row. */
export const bounceMailbox = pgTable(
  'bounce_mailbox',
  {
    id: integer('id').primaryKey().default(1),
    /** The mailbox, as a value that names it and tells nothing of it: another one is read from its beginning. */
    mailboxKey: text('mailbox_key').notNull(),
    /** The number of the last mail that was looked at, and what it holds for (RFC 3501, section 2.3.1.1). */
    uidValidity: text('uid_validity'),
    lastUid: bigint('last_uid', { mode: 'number' }),
    /** Mails up to there that could not be read, and in how many rounds. They are tried again, after the newer mails. */
    unread: jsonb('unread').$type<{ uid: number; rounds: number }[]>().notNull().default([]),
    /** Time when it was last read to its end; until it was, when that was first tried. */
    readAt: instant('read_at').notNull(),
  },
  (table) => [check('bounce_mailbox_id_check', sql`${table.id} = 1`)],
);
