import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

/** People who get a writing question a month. A row stays after they stop, so that their link still works. */
export const writingQuestions = pgTable(
  'writing_questions',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Time when the last one was sent, or they were asked for; null while none is wanted. */
    askedAt: instant('asked_at'),
    /** Number of questions sent. */
    asked: integer('asked').notNull().default(0),
    /** HMAC of the token in the link that stops them, the same in every mail. */
    linkHash: text('link_hash').notNull().unique(),
  },
  (table) => [index('writing_questions_asked_at_index').on(table.askedAt)],
);
