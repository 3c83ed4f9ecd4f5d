import { check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { bytes, instant } from '#server/platform/db/columns.ts';
import { bulkEmailStates } from '#shared/contract/admin.ts';
import { users } from './accounts.tables.ts';

/**
 * `waiting`: nothing was written to this person yet. `queued`: a mail is on its way. `left_out`: they stopped the news, or
 * went, after it was begun.
 */
export const bulkRecipientStates = ['waiting', 'queued', 'sent', 'failed', 'left_out', 'cancelled'] as const;

/** News that the administrator writes to people, one mail each. */
export const bulkEmails = pgTable(
  'bulk_emails',
  {
    id: uuid('id').primaryKey(),
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'set null' }),
    /** Subject and words, sealed. */
    payload: bytes('payload').notNull(),
    state: text('state', { enum: bulkEmailStates }).notNull(),
    createdAt: instant('created_at').notNull(),
    /** Time when no addressee was left, or it was cancelled. */
    endedAt: instant('ended_at'),
  },
  (table) => [
    index('bulk_emails_created_at_index').on(table.createdAt.desc()),
    index('bulk_emails_created_by_index').on(table.createdBy),
    check('bulk_emails_state_check', isOneOf(table.state, bulkEmailStates)),
  ],
);

export const bulkEmailRecipients = pgTable(
  'bulk_email_recipients',
  {
    bulkEmailId: uuid('bulk_email_id')
      .notNull()
      .references(() => bulkEmails.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    state: text('state', { enum: bulkRecipientStates }).notNull().default('waiting'),
    /** Time when a worker took this person on; the pace is counted by it. */
    takenAt: instant('taken_at'),
    /** HMAC of the token in the link that stops the news. */
    linkHash: text('link_hash').unique(),
  },
  (table) => [
    primaryKey({ columns: [table.bulkEmailId, table.userId] }),
    index('bulk_email_recipients_state_index').on(table.bulkEmailId, table.state),
    index('bulk_email_recipients_taken_at_index').on(table.takenAt),
    index('bulk_email_recipients_user_id_index').on(table.userId),
    check('bulk_email_recipients_state_check', isOneOf(table.state, bulkRecipientStates)),
  ],
);
