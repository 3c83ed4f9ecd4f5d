import { pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';

/** Last run of each task. Of a task that runs in every process, the last run of any process. */
export const taskRuns = pgTable('task_runs', {
  name: text('name').primaryKey(),
  begunAt: instant('begun_at').notNull(),
  /** End of the last run without an error. */
  endedAt: instant('ended_at'),
  /** No other process begins the task before this time. Null if no run has the lease. */
  leaseUntil: instant('lease_until'),
  failedAt: instant('failed_at'),
  /** Names of the errors, without their messages. */
  failure: text('failure'),
});
