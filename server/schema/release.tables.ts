import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { releaseStates } from '#shared/contract/release.ts';
import { users } from './accounts.tables.ts';
import { trustedContacts } from './contacts.tables.ts';
import { serviceHealth } from './service-health.tables.ts';

export const cycleCauses = ['silence', 'emergency', 'trustee'] as const;
export const askOutcomes = ['reached', 'failed'] as const;
export const decisionKinds = ['confirmed', 'cancelled'] as const;
export const holdKinds = ['held', 'let_go'] as const;

/** One release process of one owner, from the first reminder to its end. Owners without one are being watched. */
export const releaseCycles = pgTable(
  'release_cycles',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The owner's epoch when the cycle began. */
    epoch: integer('epoch').notNull(),
    cause: text('cause', { enum: cycleCauses }).notNull().default('silence'),
    state: text('state', { enum: releaseStates }).notNull(),
    /** Raised at every step; a writer that read an older one has lost. */
    version: integer('version').notNull().default(0),
    openedAt: instant('opened_at').notNull(),
    /** Empty while anything can still come of it; so of a release, until its owner is back (docs/domain.md). */
    closedAt: instant('closed_at'),

    /** When each reminder was written; emptied when it must be written anew because no mail got through. */
    firstReminderSentAt: instant('first_reminder_sent_at'),
    lastReminderSentAt: instant('last_reminder_sent_at'),
    /** How often each mail to the owner was written before: it tells a new one from a repeated one. */
    firstReminderTries: integer('first_reminder_tries').notNull().default(0),
    lastReminderTries: integer('last_reminder_tries').notNull().default(0),
    ownerNoticeTries: integer('owner_notice_tries').notNull().default(0),
    /** When each step was accepted by the mail server (or counted as tried), by the clock and in healthy time. */
    firstReminderAt: instant('first_reminder_at'),
    firstReminderHealthyMs: bigint('first_reminder_healthy_ms', { mode: 'number' }),
    lastReminderAt: instant('last_reminder_at'),
    lastReminderHealthyMs: bigint('last_reminder_healthy_ms', { mode: 'number' }),
    askedAt: instant('asked_at'),
    askedHealthyMs: bigint('asked_healthy_ms', { mode: 'number' }),
    ownerNoticeAt: instant('owner_notice_at'),
    ownerNoticeHealthyMs: bigint('owner_notice_healthy_ms', { mode: 'number' }),
    pausedAt: instant('paused_at'),
    pausedHealthyMs: bigint('paused_healthy_ms', { mode: 'number' }),
    /** The answer time that people were told of when contacts were asked, and the owner's waiting time when it began. */
    answerDays: integer('answer_days'),
    waitingDays: integer('waiting_days'),
    /** How many had to confirm when contacts of this round were asked, so that nobody who leaves makes it fewer. */
    neededConfirmations: integer('needed_confirmations'),
    /** How often contacts were asked; each round has links of its own. */
    round: integer('round').notNull().default(0),
    /** The last early round that a contact called off: no answer in it, or before, says anything of a later one. */
    settledRound: integer('settled_round').notNull().default(0),
    /** When the round began that silence asked for, by the clock and in healthy time. */
    roundAt: instant('round_at'),
    roundHealthyMs: bigint('round_healthy_ms', { mode: 'number' }),
    /** The owner's mailbox refused every try for good while mail as a whole was well: windows double. */
    ownerUnreachable: boolean('owner_unreachable').notNull().default(false),
    /** After which restore its windows began again (when that was), and from where in healthy time. */
    restoredAt: instant('restored_at'),
    restoredHealthyMs: bigint('restored_healthy_ms', { mode: 'number' }),
    /** The day (UTC) on which the breaker last counted this owner. */
    countedOnDay: text('counted_on_day'),
    /** Its last step was taken by silence alone: what waits of it is held while the breaker has stopped those. */
    bySilence: boolean('by_silence').notNull().default(false),
    /** The operator has looked before it was time: the breaker neither counts this silence nor stops it. */
    isExpected: boolean('is_expected').notNull().default(false),
    /** When an early request opened; another one takes another cycle, or a pause of 30 days. */
    earlyAt: instant('early_at'),
    firstDispatchAt: instant('first_dispatch_at'),
    releasedAt: instant('released_at'),
    haltedAt: instant('halted_at'),
    /** When somebody last signed in after letters had left, and has not said yet who they are; meanwhile nothing leaves. */
    questionAt: instant('question_at'),
    questionHealthyMs: bigint('question_healthy_ms', { mode: 'number' }),
  },
  (table) => [
    uniqueIndex('release_cycles_one_open_unique').on(table.userId).where(sql`${table.closedAt} is null`),
    index('release_cycles_questioned_index').on(table.userId).where(sql`${table.questionAt} is not null`),
    index('release_cycles_user_id_opened_at_index').on(table.userId, table.openedAt.desc()),
    index('release_cycles_warned_index')
      .on(table.lastReminderAt)
      .where(sql`${table.state} = 'warned' and ${table.closedAt} is null`),
    check('release_cycles_state_check', isOneOf(table.state, releaseStates)),
    check('release_cycles_cause_check', isOneOf(table.cause, cycleCauses)),
  ],
);

/** The link of one contact in one round of asking. Acts at most once. */
export const releaseInvitations = pgTable(
  'release_invitations',
  {
    id: uuid('id').primaryKey(),
    cycleId: uuid('cycle_id')
      .notNull()
      .references(() => releaseCycles.id, { onDelete: 'cascade' }),
    contactId: uuid('contact_id')
      .notNull()
      .references(() => trustedContacts.id, { onDelete: 'cascade' }),
    round: integer('round').notNull(),
    /** How often they were asked in this round before: it tells a new mail from an old, and the link of an old one is dead. */
    tries: integer('tries').notNull().default(0),
    /** HMAC of the token in the link. */
    tokenHash: text('token_hash').notNull().unique(),
    createdAt: instant('created_at').notNull(),
    /** How the mail with the link ended, and when: reached is accepted, failed is refused for good. */
    askOutcome: text('ask_outcome', { enum: askOutcomes }),
    askEndedAt: instant('ask_ended_at'),
    /** Set when the owner came back, or another round began. */
    withdrawnAt: instant('withdrawn_at'),
    decision: text('decision', { enum: decisionKinds }),
    decidedAt: instant('decided_at'),
    /** Sealed with the owner's vault key. */
    reason: text('reason'),
    /** The answer after which its mailbox was held for the operator, who may have let it go on since. */
    hold: text('hold', { enum: holdKinds }),
  },
  (table) => [
    unique('release_invitations_cycle_contact_round_unique').on(table.cycleId, table.contactId, table.round),
    index('release_invitations_contact_id_index').on(table.contactId),
    check('release_invitations_ask_outcome_check', isOneOf(table.askOutcome, askOutcomes)),
    check('release_invitations_decision_check', isOneOf(table.decision, decisionKinds)),
    check('release_invitations_hold_check', isOneOf(table.hold, holdKinds)),
    index('release_invitations_held_index').on(table.contactId).where(sql`${table.hold} = 'held'`),
  ],
);

/** The check-in link in a mail to the owner. Dead once it was used, or the owner showed life otherwise. */
export const checkinLinks = pgTable(
  'checkin_links',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
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
 * Whether everybody is stopped, or the owner whom a row names: by name, because silence alone moved them and the breaker
 * has stopped that, or since somebody signed in as them after letters had left and has not said who they are. Asked in the
 * very statement that rests on it, so that what was answered before it holds. No part is worked out for each row, and few
 * owners are ever held.
 */
export function isFrozen(userId: SQLWrapper): SQL {
  return sql`((select ${serviceHealth.frozenAt} is not null from ${serviceHealth} where ${serviceHealth.id} = 1)
    or coalesce(${userId} = any(array(select ${users.id} from ${users} where ${users.releaseFrozenAt} is not null
      union all select ${releaseCycles.userId} from ${releaseCycles}
        where ${releaseCycles.questionAt} is not null and ${releaseCycles.closedAt} is null
      union all select ${releaseCycles.userId} from ${releaseCycles} where ${releaseCycles.bySilence} and ${releaseCycles.closedAt} is null
        and (select ${serviceHealth.silenceStoppedAt} is not null from ${serviceHealth} where ${serviceHealth.id} = 1))), false))`;
}
