import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, numeric, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { discountTypes } from '#shared/rules/vouchers.ts';
import { users } from './accounts.tables.ts';

export const voucherCodes = pgTable(
  'voucher_codes',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** As `normalizedCode` returns it. */
    code: text('code').notNull().unique(),
    discountType: text('discount_type', { enum: discountTypes }).notNull(),
    /** Percentage. It has no meaning for the type `free`. */
    discountValue: numeric('discount_value', { precision: 5, scale: 2, mode: 'number' }).notNull(),
    /** Null for no limit. */
    maxUses: integer('max_uses'),
    /** Number of spent uses, without reservations. */
    currentUses: integer('current_uses').notNull().default(0),
    validFrom: instant('valid_from'),
    validUntil: instant('valid_until'),
    /** False once the operator has disabled it. */
    isActive: boolean('is_active').notNull().default(true),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    check('voucher_codes_discount_type_check', isOneOf(table.discountType, discountTypes)),
    check('voucher_codes_discount_value_check', sql`${table.discountValue} between 0 and 100`),
    check('voucher_codes_uses_check', sql`${table.maxUses} is null or ${table.currentUses} <= ${table.maxUses}`),
  ],
);

/** One person's use of a voucher: reserved while a checkout is open, spent once it is paid or needs no payment. */
export const voucherUsage = pgTable(
  'voucher_usage',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    voucherCodeId: uuid('voucher_code_id')
      .notNull()
      .references(() => voucherCodes.id, { onDelete: 'cascade' }),
    /** Null before the person has an account, and after its deletion. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** HMAC of the email address. It limits a voucher to one use per person, with or without an account. */
    personHash: text('person_hash').notNull(),
    /** Checkout that reserved or spent it. */
    checkoutId: uuid('checkout_id').notNull(),
    /** End of the reservation. Null once it is spent. */
    heldUntil: instant('held_until'),
    /** Time at which it was spent. Null while it is reserved. */
    usedAt: instant('used_at'),
  },
  (table) => [
    unique('voucher_usage_voucher_code_id_person_hash_unique').on(table.voucherCodeId, table.personHash),
    index('voucher_usage_user_id_index').on(table.userId),
    index('voucher_usage_checkout_id_index').on(table.checkoutId),
    check('voucher_usage_state_check', sql`(${table.heldUntil} is null) <> (${table.usedAt} is null)`),
  ],
);
