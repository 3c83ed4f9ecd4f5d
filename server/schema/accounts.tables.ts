import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { bytes, instant } from '#server/platform/db/columns.ts';
import { mailboxColumn } from '#server/platform/db/mailbox-column.ts';
import {
  checkinIntervalDaysDefault,
  inactivityDaysDefault,
  releaseMethods,
  waitingDaysDefault,
} from '#shared/rules/inactivity.ts';
import { planNames } from '#shared/rules/plans.ts';
import { roleNames } from '#shared/rules/roles.ts';

/** Sort expression of user lists. Queries must repeat it exactly, or the index is not used. */
export const usersByName = sql.raw(`lower(coalesce(last_name, '') || ' ' || coalesce(first_name, ''))`);
export const checkinTypes = ['login', 'manual', 'email', 'sms', 'change'] as const;
export type CheckinType = (typeof checkinTypes)[number];

/** Accounts that never signed in come first. */
export const usersByLastLogin = sql.raw(`coalesce(last_login_at, '-infinity'::timestamptz)`);

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** Trimmed, in lower case. */
    email: text('email').notNull().unique(),
    /** Argon2id as a PHC string; absent where only an identity provider signs in. */
    password: text('password'),
    firstName: text('first_name'),
    lastName: text('last_name'),
    profileImageUrl: text('profile_image_url'),
    phone: text('phone'),
    /** The phone in the form of E.164, by which answers to texts are known. It is saved with the phone. */
    phoneNumber: text('phone_number'),
    /** Time when the code that we texted to the phone was typed; null until then, and the number counts for nothing. */
    phoneProvenAt: instant('phone_proven_at'),
    /** The code under way, derived under a key of the installation with the account and the number; never the code. */
    phoneCode: text('phone_code'),
    phoneCodeExpires: instant('phone_code_expires'),
    /** Number of wrong entries. */
    phoneCodeTries: integer('phone_code_tries').notNull().default(0),
    /** The proven number before the present one: notices about a release go there too, until then and without power. */
    formerPhone: text('former_phone'),
    formerPhoneUntil: instant('former_phone_until'),
    plan: text('plan', { enum: planNames }).notNull().default('free'),
    /** Time when an administrator gave the plan; null if it follows from payments. */
    planGrantedAt: instant('plan_granted_at'),
    /** The paid plan chosen at registration; a payment grants it. */
    intendedPlan: text('intended_plan', { enum: planNames }),
    /** Time when the account was led to that plan; null until then. */
    planOfferedAt: instant('plan_offered_at'),
    role: text('role', { enum: roleNames }).notNull().default('user'),
    emailVerified: boolean('email_verified').notNull().default(false),
    /**
     * Time when a link that was mailed to the address first came back. It stays, whatever becomes of the address
     * afterwards.
     */
    firstVerifiedAt: instant('first_verified_at'),
    /**
     * Time when an operator first took the address for verified by their own word, which says nothing of its mailbox.
     */
    vouchedAt: instant('vouched_at'),
    /** HMAC of the token in the link, never the token. */
    emailVerificationToken: text('email_verification_token').unique(),
    emailVerificationExpires: instant('email_verification_expires'),
    /**
     * Time since which this mailbox counts as read by the account's holder. A verified address shows only that a link
     * was opened, and mail scanners open links. Cleared with the address, and when the address is no longer verified.
     */
    mailboxProvenAt: instant('mailbox_proven_at'),
    passwordResetToken: text('password_reset_token').unique(),
    passwordResetExpires: instant('password_reset_expires'),
    /** Devices that were known before are not known any more; null where none was ever forgotten. */
    devicesForgottenAt: instant('devices_forgotten_at'),
    /** Time when the owner chose to get no news; what concerns the account is sent all the same. */
    newsStoppedAt: instant('news_stopped_at'),
    subscriptionStatus: text('subscription_status').notNull().default('active'),
    subscriptionStart: instant('subscription_start'),
    subscriptionEnd: instant('subscription_end'),
    paymentProvider: text('payment_provider'),
    paymentCustomerId: text('payment_customer_id'),
    paymentSubscriptionId: text('payment_subscription_id'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
    lastLoginAt: instant('last_login_at'),
    /** The last sign of life of any kind. All silence is counted from here. */
    lastCheckinAt: instant('last_checkin_at').notNull().defaultNow(),
    /** By what the owner was last heard of; null before the first time. */
    lastCheckinType: text('last_checkin_type', { enum: checkinTypes }),
    checkinIntervalDays: integer('checkin_interval_days').notNull().default(checkinIntervalDaysDefault),
    releaseMethod: text('release_method', { enum: releaseMethods }).notNull().default('inactivity'),
    inactivityDays: integer('inactivity_days').notNull().default(inactivityDaysDefault),
    isTrustedContactAccount: boolean('is_trusted_contact_account').notNull().default(false),
    /** Set where an administrator chose the password; it must be changed at the first sign-in. */
    tempPassword: boolean('temp_password').notNull().default(false),

    /** Number of contacts who must confirm, and the owner's own waiting and answer times. */
    releaseQuorum: integer('release_quorum').notNull().default(1),
    releaseWaitingDays: integer('release_waiting_days').notNull().default(waitingDaysDefault),
    /** Null until the owner chooses; the installation's default holds then. */
    releaseAnswerDays: integer('release_answer_days'),
    /** "I am on a journey until": silence is counted from the later of this and the last activity. */
    awayUntil: instant('away_until'),
    releaseFrozenAt: instant('release_frozen_at'),
    /** Time when they, who had been stopped by name, went on, by the clock and in healthy time. */
    releaseResumedAt: instant('release_resumed_at'),
    releaseResumedHealthyMs: bigint('release_resumed_healthy_ms', { mode: 'number' }),
    /** The restore after which every window of theirs began again. */
    releaseBegunAnewAt: instant('release_begun_anew_at'),
    /** After a restore every letter that waits, of whatever release, goes some days behind this notice. */
    releaseRestartNotice: integer('release_restart_notice'),
    /** Set while the account can still be restored; from then on nothing is done for its owner. */
    deletionRequestedAt: instant('deletion_requested_at'),
    /** Healthy time at that moment: the days to take it back are counted in it. */
    deletionRequestedHealthyMs: bigint('deletion_requested_healthy_ms', { mode: 'number' }),
    /** True if this mailbox reported the account as not theirs: only a mailbox proof clears it. */
    isDisowned: boolean('is_disowned').notNull().default(false),

    /** Time when the sweep looks at this owner next: a hint, never later than the truth. */
    nextStepAt: instant('next_step_at').notNull().defaultNow(),

    /** Text that the user search reads, in lower case. */
    searchText: text('search_text').generatedAlwaysAs(
      sql.raw(`lower(email || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, ''))`),
    ),
    /**
     * Hour of the last activity, for sorting. An index on `last_checkin_at` itself would make each activity update
     * every index of the row. This way only the first activity of an hour does, as with `next_step_at`.
     */
    lastCheckinHour: timestamp('last_checkin_hour').generatedAlwaysAs(
      sql.raw(`date_trunc('hour', last_checkin_at at time zone 'UTC')`),
    ),
  },
  (table) => [
    index('users_mailbox_index').on(mailboxColumn(sql.raw('email'))),
    index('users_next_step_at_index').on(table.nextStepAt, table.id),
    index('users_former_phone_until_index')
      .on(table.formerPhoneUntil)
      .where(sql`${table.formerPhoneUntil} is not null`),
    index('users_created_at_index').on(table.createdAt, table.id),
    index('users_name_index').on(usersByName, table.id),
    index('users_last_login_at_index').on(usersByLastLogin, table.id),
    index('users_last_checkin_hour_index').on(table.lastCheckinHour, table.id),
    index('users_unverified_index')
      .on(table.createdAt, table.id)
      .where(sql`not ${table.emailVerified} and ${table.firstVerifiedAt} is null and ${table.vouchedAt} is null`),
    index('users_lapsed_index')
      .on(table.subscriptionEnd, table.id)
      .where(sql`${table.plan} = 'free' and ${table.subscriptionEnd} is not null`),
    index('users_search_text_index').using('gin', table.searchText.op('gin_trgm_ops')),
    index('users_deletion_requested_at_index')
      .on(table.deletionRequestedAt)
      .where(sql`${table.deletionRequestedAt} is not null`),
    index('users_news_stopped_at_index').on(table.newsStoppedAt).where(sql`${table.newsStoppedAt} is not null`),
    // Few are held, and every message that is due asks for them.
    index('users_held_index')
      .on(table.id)
      .where(sql`${table.releaseFrozenAt} is not null or ${table.releaseRestartNotice} is not null`),
    index('users_phone_number_index').on(table.phoneNumber).where(sql`${table.phoneNumber} is not null`),
    check('users_plan_check', isOneOf(table.plan, planNames)),
    check('users_role_check', isOneOf(table.role, roleNames)),
    check('users_release_method_check', isOneOf(table.releaseMethod, releaseMethods)),
    check('users_inactivity_days_check', sql`${table.inactivityDays} between 90 and 365`),
    check('users_release_quorum_check', sql`${table.releaseQuorum} between 1 and 3`),
    check('users_release_waiting_days_check', sql`${table.releaseWaitingDays} between 0 and 30`),
    check('users_release_answer_days_check', sql`${table.releaseAnswerDays} between 0 and 30`),
  ],
);

export const sessions = pgTable(
  'sessions',
  {
    /** HMAC of the cookie's value. */
    sid: text('sid').primaryKey(),
    sess: jsonb('sess').$type<SessionFacts>().notNull(),
    expire: instant('expire').notNull(),
    /** Names the session in the list of devices, where its `sid` must not appear. */
    publicId: uuid('public_id').notNull().unique().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull().defaultNow(),
    lastSeenAt: instant('last_seen_at').notNull().defaultNow(),
    /** Time when the person last proved who they are. */
    authenticatedAt: instant('authenticated_at').notNull().defaultNow(),
    /** Time when a second factor was given in this session; null if none was. */
    secondFactorAt: instant('second_factor_at'),
    /**
     * Time when the person last gave the password or a passkey in this session; null if only a provider vouched for
     * them.
     */
    ownProofAt: instant('own_proof_at'),
    /** True if the person chose to stay signed in: it outlives the browser's window, and ends idle much later. */
    isKept: boolean('is_kept').notNull().default(true),
  },
  (table) => [index('sessions_expire_index').on(table.expire), index('sessions_user_id_index').on(table.userId)],
);

export type SessionFacts = { ipAddress: string | null; userAgent: string | null };

/** "This was not me": each mail about a new account has such a link of its own, good after the address is verified too. */
export const notMeLinks = pgTable(
  'not_me_links',
  {
    /** HMAC of the token in the link, never the token. */
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('not_me_links_user_id_index').on(table.userId),
    index('not_me_links_expires_at_index').on(table.expiresAt),
  ],
);

/** The key of each vault, wrapped by the master key. Destroying a row destroys the vault. */
export const vaultKeys = pgTable('vault_keys', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  keyVersion: integer('key_version').notNull(),
  wrappedKey: bytes('wrapped_key').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});

export const checkins = pgTable(
  'checkins',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    type: text('type', { enum: checkinTypes }).notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('checkins_user_id_created_at_index').on(table.userId, table.createdAt.desc()),
    index('checkins_created_at_index').on(table.createdAt),
    check('checkins_type_check', isOneOf(table.type, checkinTypes)),
  ],
);

/**
 * Wrong passwords in a row, per tried address, with or without an account. A delay for real accounts only would
 * reveal them.
 */
export const loginAttempts = pgTable(
  'login_attempts',
  {
    /** HMAC of the address, or of a device that its owner has used before together with the address. */
    emailHash: text('email_hash').primaryKey(),
    failed: integer('failed').notNull().default(0),
    /** Until when a further try is refused. */
    blockedUntil: instant('blocked_until').notNull(),
    lastTriedAt: instant('last_tried_at').notNull(),
  },
  (table) => [index('login_attempts_last_tried_at_index').on(table.lastTriedAt)],
);
