import { bigint, check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { noticeKinds, noticeOutcomes } from '#shared/rules/retention.ts';
import { users } from './accounts.tables.ts';

/** Notices to owners before content is deleted. The owner's days begin when the mail was accepted. */
export const retentionNotices = pgTable(
  'retention_notices',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: noticeKinds }).notNull(),
    sentAt: instant('sent_at').notNull(),
    notificationId: uuid('notification_id').notNull(),
    outcome: text('outcome', { enum: noticeOutcomes }),
    endedAt: instant('ended_at'),
    endedHealthyMs: bigint('ended_healthy_ms', { mode: 'number' }),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.kind] }),
    index('retention_notices_notification_id_index').on(table.notificationId),
    check('retention_notices_kind_check', isOneOf(table.kind, noticeKinds)),
    check('retention_notices_outcome_check', isOneOf(table.outcome, noticeOutcomes)),
  ],
);
