import { bigint, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';

/** Places whose seal was found broken, or whose file is missing, until a whole check finds them well again. */
export const integrityEvents = pgTable(
  'integrity_events',
  {
    tableName: text('table_name').notNull(),
    columnName: text('column_name').notNull(),
    rowId: text('row_id').notNull(),
    firstSeenAt: instant('first_seen_at').notNull(),
    lastSeenAt: instant('last_seen_at').notNull(),
    times: integer('times').notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.tableName, table.columnName, table.rowId] }),
    index('integrity_events_last_seen_at_index').on(table.lastSeenAt),
  ],
);

/** Progress of the regular check of all sealed data. One row. */
export const integrityRounds = pgTable('integrity_rounds', {
  id: integer('id').primaryKey().default(1),
  startedAt: instant('started_at').notNull(),
  finishedAt: instant('finished_at'),
  /** The last owner whose vault was checked in this round; null before the first. */
  afterUserId: uuid('after_user_id'),
  /** Until when another worker leaves the round alone. */
  leaseUntil: instant('lease_until'),
  values: bigint('values', { mode: 'number' }).notNull().default(0),
  files: bigint('files', { mode: 'number' }).notNull().default(0),
  broken: bigint('broken', { mode: 'number' }).notNull().default(0),
});
