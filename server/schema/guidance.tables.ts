import { pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';

export const userChecklists = pgTable(
  'user_checklists',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    checklistId: text('checklist_id').notNull(),
    /** Sealed JSON, as is `completedItems`: people write items of their own. */
    customItems: text('custom_items').notNull(),
    completedItems: text('completed_items').notNull(),
    /** Time when the list was last put back to the usual items. */
    resetAt: instant('reset_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [unique('user_checklists_user_id_checklist_id_unique').on(table.userId, table.checklistId)],
);

/** An owner’s facts for the first weeks after their death. At most one row for an owner. */
export const firstWeeks = pgTable('first_weeks', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Sealed JSON of all fields. */
  notes: text('notes').notNull(),
  /** Key of the last change. */
  version: uuid('version').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
