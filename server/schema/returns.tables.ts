import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

/** What would have come next, had the owner not come back. */
export const nextSteps = ['letters_go', 'asked_again'] as const;

/**
 * The last time that an owner came back while people were asked, or letters were on their way: what their dashboard tells them
 * until they have read it. The row goes with their "Go to my dashboard", on whatever device.
 */
export const releaseReturns = pgTable(
  'release_returns',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    at: instant('at').notNull(),
    /** Time when we had heard from them before. */
    heardAt: instant('heard_at').notNull(),
    /** Somebody had asked before the owner was silent for the whole period. */
    isEarly: boolean('is_early').notNull(),
    firstReminderAt: instant('first_reminder_at'),
    lastReminderAt: instant('last_reminder_at'),
    /** Time when the first question arrived, and who got one. */
    askedAt: instant('asked_at'),
    askedIds: uuid('asked_ids').array().notNull(),
    /** Whom we tell that the owner is back. */
    toldIds: uuid('told_ids').array().notNull(),
    /** Number of letters that waited. */
    letters: integer('letters').notNull(),
    next: text('next', { enum: nextSteps }),
    nextAt: instant('next_at'),
  },
  (table) => [
    check('release_returns_next_check', sql`(${table.next} is null) = (${table.nextAt} is null)`),
    check('release_returns_next_step_check', isOneOf(table.next, nextSteps)),
  ],
);
