import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';

/** Counts of calls in the current window, shared by every web process. Keys are hashed: they hold addresses. */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text('key').primaryKey(),
    count: integer('count').notNull(),
    windowEndsAt: instant('window_ends_at').notNull(),
  },
  (table) => [index('rate_limits_window_ends_at_index').on(table.windowEndsAt)],
);
