import { index, pgTable, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

/** Complaints about how personal data is used (Data Protection Act 2018, section 164A). They outlive an account. */
export const complaints = pgTable(
  'complaints',
  {
    id: uuid('id').primaryKey(),
    /** Signed-in sender; null for visitors, and after the account is deleted. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** Name, address and words, sealed. */
    payload: bytes('payload').notNull(),
    receivedAt: instant('received_at').notNull(),
    acknowledgedAt: instant('acknowledged_at'),
    receiptFailedAt: instant('receipt_failed_at'),
    closedAt: instant('closed_at'),
  },
  (table) => [
    index('complaints_user_id_index').on(table.userId),
    index('complaints_received_at_index').on(table.receivedAt.desc()),
    index('complaints_closed_at_index').on(table.closedAt),
  ],
);
