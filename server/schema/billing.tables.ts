import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, serial, text, unique, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { bytes, instant } from '#server/platform/db/columns.ts';
import type { PaymentFact } from '#server/platform/payments/payment-facts.rules.ts';
import { paymentProviderNames, paymentStatuses } from '#shared/contract/billing.ts';
import { billingTerms, paidPlanNames } from '#shared/rules/prices.ts';
import { users } from './accounts.tables.ts';
import { voucherCodes } from './vouchers.tables.ts';

/** Source that keeps a subscription running: a provider, or a voucher that made it free. */
export const subscriptionSources = [...paymentProviderNames, 'voucher'] as const;
export const subscriptionStatuses = ['active', 'past_due', 'cancelled', 'lapsed'] as const;
/**
 * Stop of a subscription at its period's end because of a release. `asked`: all due letters have ended, and the
 * provider will be notified. `stopped`: the provider knows, and the owner is emailed. `withdrawn` and `undoing`: the
 * owner came back, before or after that email, and the provider should continue.
 */
export const releaseStops = ['asked', 'stopped', 'withdrawn', 'undoing'] as const;
export const checkoutPurposes = ['subscribe', 'change', 'card'] as const;
/**
 * `agreed`: the owner agreed to a price change with the provider; it begins with the next payment, and its voucher is
 * used. `refused`: the voucher had no use left, so the provider is instructed to charge nothing more.
 */
export const checkoutStatuses = ['open', 'agreed', 'refused', 'paid', 'expired'] as const;
export const eventStatuses = ['stored', 'applied', 'waiting', 'ignored', 'refused'] as const;

/**
 * Purchases, one row each. The first verified payment creates a row. It is recomputed from all facts of the provider
 * whenever new ones arrive, and nothing else changes it.
 */
export const subscriptions = pgTable(
  'subscriptions',
  {
    /** That of the checkout it began with. */
    id: uuid('id').primaryKey(),
    /** Null while no account with the verified address exists. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Buyer's address as accounts store it: trimmed, in lower case. */
    email: text('email').notNull(),
    provider: text('provider', { enum: subscriptionSources }).notNull(),
    providerCustomerId: text('provider_customer_id'),
    providerSubscriptionId: text('provider_subscription_id'),
    plan: text('plan', { enum: paidPlanNames }).notNull(),
    term: text('term', { enum: billingTerms }).notNull(),
    /** Each payment; 0 where a voucher made it free. */
    pricePence: integer('price_pence').notNull(),
    status: text('status', { enum: subscriptionStatuses }).notNull(),
    /** End of the paid period; null for one-off or free plans. */
    currentPeriodEnd: instant('current_period_end'),
    cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
    pastDueSince: instant('past_due_since'),
    endedAt: instant('ended_at'),
    cardBrand: text('card_brand'),
    cardLast4: text('card_last4'),
    releaseStop: text('release_stop', { enum: releaseStops }),
    /** Time when time alone changes something next: a mail of the days of grace, a lapse, the end. */
    nextStepAt: instant('next_step_at'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [
    unique('subscriptions_provider_subscription_id_unique').on(table.provider, table.providerSubscriptionId),
    index('subscriptions_user_id_index').on(table.userId),
    index('subscriptions_email_index').on(table.email).where(sql`${table.userId} is null`),
    index('subscriptions_next_step_at_index').on(table.nextStepAt),
    index('subscriptions_created_at_index').on(table.createdAt),
    check('subscriptions_provider_check', isOneOf(table.provider, subscriptionSources)),
    check('subscriptions_plan_check', isOneOf(table.plan, paidPlanNames)),
    check('subscriptions_term_check', isOneOf(table.term, billingTerms)),
    check('subscriptions_status_check', isOneOf(table.status, subscriptionStatuses)),
    check('subscriptions_release_stop_check', isOneOf(table.releaseStop, releaseStops)),
    check('subscriptions_price_check', sql`${table.pricePence} >= 0`),
  ],
);

/** Payments that we requested. Amount, currency and customer of a payment are checked against the row. */
export const checkouts = pgTable(
  'checkouts',
  {
    id: uuid('id').primaryKey(),
    purpose: text('purpose', { enum: checkoutPurposes }).notNull(),
    /** Null for a visitor. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    provider: text('provider', { enum: subscriptionSources }).notNull(),
    /** Subscription that is changed; null for a new one. */
    subscriptionId: uuid('subscription_id').references(() => subscriptions.id, { onDelete: 'cascade' }),
    plan: text('plan', { enum: paidPlanNames }).notNull(),
    term: text('term', { enum: billingTerms }).notNull(),
    listPricePence: integer('list_price_pence').notNull(),
    amountPence: integer('amount_pence').notNull(),
    voucherCodeId: uuid('voucher_code_id').references(() => voucherCodes.id, { onDelete: 'set null' }),
    /** HMAC of the token in the sandbox's address. */
    tokenHash: text('token_hash').unique(),
    /** The provider's name for the checkout, and for the price it asks. */
    providerReference: text('provider_reference'),
    providerPriceId: text('provider_price_id'),
    status: text('status', { enum: checkoutStatuses }).notNull().default('open'),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    paidAt: instant('paid_at'),
  },
  (table) => [
    index('checkouts_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
    index('checkouts_email_index').on(table.email),
    index('checkouts_subscription_id_index').on(table.subscriptionId),
    index('checkouts_voucher_code_id_index').on(table.voucherCodeId),
    index('checkouts_expires_at_index').on(table.expiresAt).where(sql`${table.status} = 'open'`),
    check('checkouts_purpose_check', isOneOf(table.purpose, checkoutPurposes)),
    check('checkouts_provider_check', isOneOf(table.provider, subscriptionSources)),
    check('checkouts_plan_check', isOneOf(table.plan, paidPlanNames)),
    check('checkouts_term_check', isOneOf(table.term, billingTerms)),
    check('checkouts_status_check', isOneOf(table.status, checkoutStatuses)),
    check('checkouts_amount_check', sql`${table.amountPence} between 0 and ${table.listPricePence}`),
  ],
);

/** Events of providers, each stored once, before it is processed. */
export const paymentEvents = pgTable(
  'payment_events',
  {
    id: uuid('id').primaryKey(),
    provider: text('provider', { enum: paymentProviderNames }).notNull(),
    /** The provider's own id; `answer:` and one of ours where the provider told it as the answer to our call. */
    providerEventId: text('provider_event_id').notNull(),
    /** The provider's word for what happened. */
    type: text('type').notNull(),
    /** The body as it came, sealed: it holds names and addresses. Emptied some time after it was applied, or as it is given up. */
    body: bytes('body'),
    /** The event in our own terms without personal data; null until it was read. */
    facts: jsonb('facts').$type<PaymentFact[]>(),
    /** Subjects of the facts; events that share one belong together. */
    subjects: text('subjects').array().notNull().default(sql`'{}'::text[]`),
    subscriptionId: uuid('subscription_id').references(() => subscriptions.id, { onDelete: 'cascade' }),
    status: text('status', { enum: eventStatuses }).notNull().default('stored'),
    /** A single word: why it was refused or ignored. */
    reason: text('reason'),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: instant('next_attempt_at'),
    occurredAt: instant('occurred_at').notNull(),
    receivedAt: instant('received_at').notNull(),
  },
  (table) => [
    unique('payment_events_provider_event_id_unique').on(table.provider, table.providerEventId),
    index('payment_events_subscription_id_index').on(table.subscriptionId),
    index('payment_events_subjects_index').using('gin', table.subjects),
    index('payment_events_due_index').on(table.nextAttemptAt),
    index('payment_events_received_at_index').on(table.receivedAt).where(sql`${table.body} is not null`),
    check('payment_events_provider_check', isOneOf(table.provider, paymentProviderNames)),
    check('payment_events_status_check', isOneOf(table.status, eventStatuses)),
  ],
);

/** Money received, kept for seven years, also when the account is gone. */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey(),
    /** Counts up; the receipt shows it as `EK-000123`. */
    number: serial('number').notNull().unique(),
    /** Null while there is no account, and after it is gone. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** Tells payers apart for figures, also when the account is gone: its id, or the subscription's before there was one. */
    payerId: uuid('payer_id').notNull(),
    subscriptionId: uuid('subscription_id').references(() => subscriptions.id, { onDelete: 'set null' }),
    provider: text('provider', { enum: paymentProviderNames }).notNull(),
    providerPaymentId: text('provider_payment_id').notNull(),
    plan: text('plan', { enum: paidPlanNames }).notNull(),
    term: text('term', { enum: billingTerms }).notNull(),
    amountPence: integer('amount_pence').notNull(),
    /** Given back so far. What a lost dispute took counts here as well. */
    refundedPence: integer('refunded_pence').notNull().default(0),
    currency: text('currency').notNull(),
    status: text('status', { enum: paymentStatuses }).notNull(),
    cardBrand: text('card_brand'),
    cardLast4: text('card_last4'),
    paidAt: instant('paid_at').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    unique('payments_provider_payment_id_unique').on(table.provider, table.providerPaymentId),
    index('payments_user_id_paid_at_index').on(table.userId, table.paidAt.desc()),
    index('payments_subscription_id_index').on(table.subscriptionId),
    index('payments_paid_at_index').on(table.paidAt),
    index('payments_payer_id_index').on(table.payerId),
    check('payments_provider_check', isOneOf(table.provider, paymentProviderNames)),
    check('payments_status_check', isOneOf(table.status, paymentStatuses)),
    check('payments_refunded_check', sql`${table.refundedPence} between 0 and ${table.amountPence}`),
  ],
);
