import { jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { users } from '#server/features/accounts/accounts.tables.ts';
import { instant } from '#server/platform/db/columns.ts';

export const userChecklists = pgTable(
  'user_checklists',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    checklistId: text('checklist_id').notNull(),
    customItems: jsonb('custom_items').$type<string[]>().notNull().default([]),
    completedItems: jsonb('completed_items').$type<Record<string, boolean>>().notNull().default({}),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [unique('user_checklists_user_id_checklist_id_unique').on(table.userId, table.checklistId)],
);
