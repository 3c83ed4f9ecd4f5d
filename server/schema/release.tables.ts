import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { users } from './accounts.tables.ts';
import { trustedContacts } from './contacts.tables.ts';
import { serviceHealth } from './service-health.tables.ts';

export const requestCauses = ['silence', 'emergency', 'trustee'] as const;
export const requestPhases = ['asking', 'paused', 'holding'] as const;
export const requestOutcomes = [
  'owner_back',
  'closed',
  'no',
  'alive',
  'did_not_ask',
  'nobody_answered',
  'too_few_contacts',
  'begun_anew',
  'taken_back',
  'left_as_it_is',
] as const;
export const answerKinds = ['yes', 'no', 'alive'] as const;
export const holdKinds = ['held', 'let_go'] as const;
export const earlyReviews = ['waiting', 'not_needed', 'let_go'] as const;
export const noticeOutcomes = ['accepted', 'tried', 'withdrawn'] as const;

/** Terms that people were notified of. A silence or a request keeps its own, whatever the owner's settings say later. */
const terms = {
  inactivityDays: integer('inactivity_days').notNull(),
  needed: integer('needed').notNull(),
  answerDays: integer('answer_days').notNull(),
  waitingDays: integer('waiting_days').notNull(),
};

const owner = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' });

/* Stored form of a `World` (`release-core/model.rules.ts`). A mark is two columns: wall time and healthy time. */

/** An owner's time without activity, from the first reminder on. At most one of an owner is open. */
export const releaseSilences = pgTable(
  'release_silences',
  {
    id: uuid('id').primaryKey(),
    userId: owner(),
    ...terms,
    firstNotice: integer('first_notice').notNull(),
    lastNotice: integer('last_notice'),
    openedAt: instant('opened_at').notNull(),
    closedAt: instant('closed_at'),
    /** True if the operator approved it in advance. The breaker neither counts nor stops this silence. */
    isExpected: boolean('is_expected').notNull().default(false),
    /** Day (UTC) on which the breaker last counted this owner. */
    countedOnDay: text('counted_on_day'),
  },
  (table) => [
    uniqueIndex('release_silences_one_open_unique').on(table.userId).where(sql`${table.closedAt} is null`),
    index('release_silences_user_id_index').on(table.userId),
    index('release_silences_warned_index')
      .on(table.userId)
      .where(sql`${table.closedAt} is null and ${table.lastNotice} is not null`),
    index('release_silences_counted_on_day_index').on(table.countedOnDay).where(sql`${table.countedOnDay} is not null`),
  ],
);

/**
 * The question to contacts if an owner's letters may go, and its release. At most one is open per owner. A release that
 * is done stays open until its owner is active, so that no second one begins in the same silence.
 */
export const releaseRequests = pgTable(
  'release_requests',
  {
    id: uuid('id').primaryKey(),
    userId: owner(),
    cause: text('cause', { enum: requestCauses }).notNull(),
    ...terms,
    openedAt: instant('opened_at').notNull(),
    openedHealthyMs: bigint('opened_healthy_ms', { mode: 'number' }).notNull(),
    /** Contact who asked for it; null if silence did. */
    askedBy: uuid('asked_by').references(() => trustedContacts.id, { onDelete: 'set null' }),
    /** True if the silence had ended, and the owner was notified, at the opening or takeover. Then there is no wait. */
    isSilenceOver: boolean('is_silence_over').notNull(),
    /** Time from which silence asks: the opening, or when it took an early request over. */
    silenceAsksAt: instant('silence_asks_at'),
    silenceAsksHealthyMs: bigint('silence_asks_healthy_ms', { mode: 'number' }),
    /** Set after a reminder bounced. With `used_ms`: time of the stop. Without: start from which the resumed answer time counts. */
    answerTimeAt: instant('answer_time_at'),
    answerTimeHealthyMs: bigint('answer_time_healthy_ms', { mode: 'number' }),
    answerTimeUsedMs: bigint('answer_time_used_ms', { mode: 'number' }),
    /** Latest announced day of delivery by silence. Null if it is still the first one. */
    toldUntil: instant('told_until'),
    /** The notice that tells the owner that contacts are asked. */
    ownerNotice: integer('owner_notice'),
    /** Time since which fewer contacts are left than must confirm, and the notice to the owner about it. */
    shrunkAt: instant('shrunk_at'),
    shrunkHealthyMs: bigint('shrunk_healthy_ms', { mode: 'number' }),
    shrunkNotice: integer('shrunk_notice'),

    phase: text('phase', { enum: requestPhases }).notNull(),
    /** Start of the phase. A wait (`holding`) has one only if it runs before its notice is accepted. */
    phaseAt: instant('phase_at'),
    phaseHealthyMs: bigint('phase_healthy_ms', { mode: 'number' }),
    /** Days of a pause or a wait. */
    phaseDays: integer('phase_days'),
    pausedBy: uuid('paused_by').references(() => trustedContacts.id, { onDelete: 'set null' }),
    waitNotice: integer('wait_notice'),

    /** Time when the letters were chosen and put on their way. */
    releasedAt: instant('released_at'),
    releasedHealthyMs: bigint('released_healthy_ms', { mode: 'number' }),
    /** Time of a sign-in after letters had left. Until its question is answered, it is set and no letter leaves. */
    questionAt: instant('question_at'),
    questionHealthyMs: bigint('question_healthy_ms', { mode: 'number' }),
    /** Number of its release, counted per owner from 1 and never reused. 0 if it led to none. */
    releaseNumber: integer('release_number').notNull().default(0),
    /** Time when every letter that was due had ended. */
    doneAt: instant('done_at'),

    /** True if silence alone caused the last step. Its waiting mails are frozen while the breaker stops such steps. */
    bySilence: boolean('by_silence').notNull().default(false),
    /** For an early request with enough confirmations: state of the operator's review. */
    earlyReview: text('early_review', { enum: earlyReviews }),
    closedAt: instant('closed_at'),
    outcome: text('outcome', { enum: requestOutcomes }),
    /** Time of the owner's Stop. For `afterStopDays` from then the contact can't ask again. */
    stoppedAt: instant('stopped_at'),
    stoppedHealthyMs: bigint('stopped_healthy_ms', { mode: 'number' }),
    /** HMAC of the token in the mail about the Stop, by which the owner can remove the contact who had asked. */
    removalTokenHash: text('removal_token_hash').unique(),
  },
  (table) => [
    uniqueIndex('release_requests_one_open_unique').on(table.userId).where(sql`${table.closedAt} is null`),
    index('release_requests_under_way_index')
      .on(table.userId)
      .where(sql`${table.closedAt} is null and ${table.doneAt} is null`),
    index('release_requests_user_id_opened_at_index').on(table.userId, table.openedAt.desc()),
    index('release_requests_asked_by_index').on(table.askedBy),
    index('release_requests_paused_by_index').on(table.pausedBy),
    index('release_requests_waiting_index')
      .on(table.userId)
      .where(sql`${table.closedAt} is null and ${table.questionAt} is not null`),
    index('release_requests_early_review_index')
      .on(table.userId)
      .where(sql`${table.closedAt} is null and ${table.earlyReview} = 'waiting'`),
    check('release_requests_early_review_check', isOneOf(table.earlyReview, earlyReviews)),
    check('release_requests_cause_check', isOneOf(table.cause, requestCauses)),
    check('release_requests_phase_check', isOneOf(table.phase, requestPhases)),
    check('release_requests_outcome_check', isOneOf(table.outcome, requestOutcomes)),
    check('release_requests_ended_check', sql`(${table.closedAt} is null) = (${table.outcome} is null)`),
    check(
      'release_requests_marks_check',
      sql`(${table.releasedAt} is null) = (${table.releasedHealthyMs} is null)
        and (${table.questionAt} is null) = (${table.questionHealthyMs} is null)
        and (${table.phaseAt} is null) = (${table.phaseHealthyMs} is null)
        and (${table.answerTimeAt} is null) = (${table.answerTimeHealthyMs} is null) and (${table.answerTimeUsedMs} is null or ${table.answerTimeAt} is not null)
        and (${table.phase} = 'holding' or ${table.phaseAt} is not null)
        and (${table.phase} = 'asking' or ${table.phaseDays} is not null)
        and (${table.phase} <> 'holding' or ${table.waitNotice} is not null)`,
    ),
  ],
);

/** One notice to one person, by mail and, for an owner with a phone, by text. A retry is a new row. */
export const releaseNotices = pgTable(
  'release_notices',
  {
    userId: owner(),
    /** Counted per owner. Notifications carry it, so that outcomes are matched by it. */
    number: integer('number').notNull(),
    /** Contact whom it is for. Null for the owner. */
    contactId: uuid('contact_id').references(() => trustedContacts.id, { onDelete: 'cascade' }),
    topic: text('topic').notNull(),
    isTexted: boolean('is_texted').notNull(),
    /** True if it names no day of delivery, because a reminder had not reached the owner when it was written. */
    isDayless: boolean('is_dayless').notNull().default(false),
    writtenAt: instant('written_at').notNull(),
    writtenHealthyMs: bigint('written_healthy_ms', { mode: 'number' }).notNull(),
    emailOutcome: text('email_outcome', { enum: noticeOutcomes }),
    emailAt: instant('email_at'),
    emailHealthyMs: bigint('email_healthy_ms', { mode: 'number' }),
    hasEmailBounced: boolean('has_email_bounced').notNull().default(false),
    textOutcome: text('text_outcome', { enum: noticeOutcomes }),
    textAt: instant('text_at'),
    textHealthyMs: bigint('text_healthy_ms', { mode: 'number' }),
    /** Time from which no decision reads it. */
    closedAt: instant('closed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.number] }),
    index('release_notices_open_index').on(table.userId).where(sql`${table.closedAt} is null`),
    index('release_notices_contact_id_index').on(table.contactId),
    check('release_notices_email_outcome_check', isOneOf(table.emailOutcome, noticeOutcomes)),
    check('release_notices_text_outcome_check', isOneOf(table.textOutcome, noticeOutcomes)),
  ],
);

/** A link of one contact in one request. The newest one of a contact is the only one that takes an answer. */
export const releaseAsks = pgTable(
  'release_asks',
  {
    userId: owner(),
    /** The notice that carries the link. */
    notice: integer('notice').notNull(),
    requestId: uuid('request_id')
      .notNull()
      .references(() => releaseRequests.id, { onDelete: 'cascade' }),
    contactId: uuid('contact_id')
      .notNull()
      .references(() => trustedContacts.id, { onDelete: 'cascade' }),
    /** `isRepeat`: the contact had a link of this request already. `isRevoked`: this link opens nothing any more. */
    isRepeat: boolean('is_again').notNull(),
    isRevoked: boolean('is_dead').notNull(),
    /** HMAC of the token in the link. */
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.notice] }),
    index('release_asks_request_id_index').on(table.requestId),
    index('release_asks_contact_id_index').on(table.contactId),
  ],
);

/** Answers of contacts to a request. */
export const releaseAnswers = pgTable(
  'release_answers',
  {
    id: uuid('id').primaryKey(),
    requestId: uuid('request_id')
      .notNull()
      .references(() => releaseRequests.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    contactId: uuid('contact_id')
      .notNull()
      .references(() => trustedContacts.id, { onDelete: 'cascade' }),
    says: text('says', { enum: answerKinds }).notNull(),
    at: instant('at').notNull(),
    healthyMs: bigint('healthy_ms', { mode: 'number' }).notNull(),
    /** The notice with the link that was used; 0 for a trustee who had none. */
    notice: integer('notice').notNull(),
    /** Withdrawn by the contact, voided by leaving the role, or from before a pause that has ended. */
    isVoid: boolean('is_void').notNull(),
    /** The contact's own words, sealed with the owner's vault key. */
    reason: text('reason'),
    /** Set if the mailbox came under review at this answer. `let_go`: the operator has allowed it since. */
    hold: text('hold', { enum: holdKinds }),
  },
  (table) => [
    uniqueIndex('release_answers_request_id_number_unique').on(table.requestId, table.number),
    index('release_answers_contact_id_index').on(table.contactId),
    index('release_answers_held_index').on(table.contactId).where(sql`${table.hold} = 'held'`),
    check('release_answers_says_check', isOneOf(table.says, answerKinds)),
    check('release_answers_hold_check', isOneOf(table.hold, holdKinds)),
  ],
);

/** The check-in link in a mail to the owner. It expires once it is used, or the owner is active in another way. */
export const checkinLinks = pgTable(
  'checkin_links',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: owner(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
  },
  (table) => [
    index('checkin_links_user_id_index').on(table.userId),
    index('checkin_links_expires_at_index').on(table.expiresAt),
  ],
);

/**
 * True if all releases or this owner's are frozen: by the operator, by the breaker, or by the question after a sign-in.
 * A restore that lost departures freezes too, and so does an unfinished halt. Callers put it into the statement that
 * depends on it, so that no freeze comes between. It computes nothing per row.
 */
export function isFrozen(userId: SQLWrapper): SQL {
  return sql`((select ${serviceHealth.frozenAt} is not null from ${serviceHealth} where ${serviceHealth.id} = 1)
    or coalesce(${userId} = any(array(select ${users.id} from ${users} where ${users.releaseFrozenAt} is not null or ${users.releaseRestartNotice} is not null
      union all select ${releaseRequests.userId} from ${releaseRequests} where ${releaseRequests.closedAt} is null
        and ${releaseRequests.questionAt} is not null
      union all select user_id from release_halts
      union all select ${releaseRequests.userId} from ${releaseRequests} where ${releaseRequests.bySilence} and ${releaseRequests.closedAt} is null
        and (select ${serviceHealth.silenceStoppedAt} is not null from ${serviceHealth} where ${serviceHealth.id} = 1))), false))`;
}
