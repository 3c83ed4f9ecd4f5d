import { sql } from 'drizzle-orm';
import { boolean, check, integer, numeric, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { users } from '#server/features/accounts/accounts.tables.ts';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';

export const discountTypes = ['free', 'percentage'] as const;

export const voucherCodes = pgTable(
  'voucher_codes',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** In upper case. */
    code: text('code').notNull().unique(),
    discountType: text('discount_type', { enum: discountTypes }).notNull(),
    discountValue: numeric('discount_value', { precision: 5, scale: 2, mode: 'number' }).notNull(),
    maxUses: integer('max_uses'),
    currentUses: integer('current_uses').notNull().default(0),
    validFrom: instant('valid_from'),
    validUntil: instant('valid_until'),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    check('voucher_codes_discount_type_check', isOneOf(table.discountType, discountTypes)),
    check('voucher_codes_discount_value_check', sql`${table.discountValue} between 0 and 100`),
    check('voucher_codes_uses_check', sql`${table.maxUses} is null or ${table.currentUses} <= ${table.maxUses}`),
  ],
);

export const voucherUsage = pgTable(
  'voucher_usage',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    voucherCodeId: uuid('voucher_code_id')
      .notNull()
      .references(() => voucherCodes.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    usedAt: instant('used_at').notNull().defaultNow(),
  },
  (table) => [unique('voucher_usage_voucher_code_id_user_id_unique').on(table.voucherCodeId, table.userId)],
);
