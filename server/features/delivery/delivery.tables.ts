import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { users } from '#server/features/accounts/accounts.tables.ts';
import { messages } from '#server/features/messages/messages.tables.ts';
import { releaseCycles } from '#server/features/release/release.tables.ts';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';

/**
 * `pending` and `sending` wait for the mail server; `accepted` is delivered; `bounced` was refused for good;
 * `cancelled` never went out because the owner came back; `withdrawn` went out and its link died unopened.
 */
export const deliveryStatuses = ['pending', 'sending', 'accepted', 'bounced', 'cancelled', 'withdrawn'] as const;

/** One message on its way to one person. */
export const messageDeliveries = pgTable(
  'message_deliveries',
  {
    id: uuid('id').primaryKey(),
    messageId: uuid('message_id')
      .notNull()
      .unique()
      .references(() => messages.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    cycleId: uuid('cycle_id')
      .notNull()
      .references(() => releaseCycles.id, { onDelete: 'cascade' }),
    /** Sealed with the owner's vault key. */
    recipientEmail: text('recipient_email').notNull(),
    /** SHA-256 of the derived token in the link. */
    deliveryToken: text('delivery_token').notNull().unique(),
    status: text('status', { enum: deliveryStatuses }).notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: instant('next_attempt_at'),
    leaseUntil: instant('lease_until'),
    /** How often the link was sent again because nobody opened it, or because they asked. */
    remindersSent: integer('reminders_sent').notNull().default(0),
    deliveredAt: instant('delivered_at'),
    /** The first opening by a person. */
    accessedAt: instant('accessed_at'),
    expiresAt: instant('expires_at').notNull(),
    endedAt: instant('ended_at'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    index('message_deliveries_due_index').on(table.nextAttemptAt).where(sql`${table.status} in ('pending', 'sending')`),
    index('message_deliveries_unopened_index')
      .on(table.deliveredAt)
      .where(sql`${table.status} = 'accepted' and ${table.accessedAt} is null`),
    index('message_deliveries_cycle_id_index').on(table.cycleId),
    index('message_deliveries_user_id_index').on(table.userId),
    check('message_deliveries_status_check', isOneOf(table.status, deliveryStatuses)),
  ],
);
