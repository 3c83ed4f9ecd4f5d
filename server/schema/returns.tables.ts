import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

/** Next step that would have come without the owner's return. */
export const nextSteps = ['letters_go', 'asked_again'] as const;

/**
 * Last return of an owner during a request or a delivery. Their dashboard shows it until they have read it. "Go to my
 * dashboard" deletes the row, on any device.
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
    /** The request was made before the owner was silent for the whole period. */
    isEarly: boolean('is_early').notNull(),
    firstReminderAt: instant('first_reminder_at'),
    lastReminderAt: instant('last_reminder_at'),
    /** Time when the first question arrived, and who got one. */
    askedAt: instant('asked_at'),
    askedIds: uuid('asked_ids').array().notNull(),
    /** Contacts whom we notify of the owner's return. */
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
