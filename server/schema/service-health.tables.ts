import { sql } from 'drizzle-orm';
import { bigint, boolean, check, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { troubles } from '#shared/rules/troubles.ts';

/** Alerts to the operator: one row per trouble, shared by all processes. */
export const serviceAlerts = pgTable(
  'service_alerts',
  {
    trouble: text('trouble', { enum: troubles }).primaryKey(),
    /** Since when it lasts; null while all is well. */
    since: instant('since'),
    /** Time since which it looks well again, until the operator was notified of that. */
    wellSince: instant('well_since'),
    /** True if an alarm was accepted for the trouble that lasts. */
    isTold: boolean('is_told').notNull().default(false),
    /** Time when the last mail was accepted, about this trouble or the one before. */
    toldAt: instant('told_at'),
    /** The trouble came back within a day of a mail, so it counts as over only after a whole day. */
    isRelapse: boolean('is_relapse').notNull().default(false),
    /** Number of mails that were accepted ever; the number of the next one is in its Message-ID. */
    mails: integer('mails').notNull().default(0),
    /** Number of attempts of the due mail, and the time of the next. */
    tries: integer('tries').notNull().default(0),
    nextTryAt: instant('next_try_at'),
    /** Process that is sending, and the time until which others wait. */
    claim: uuid('claim'),
    leaseUntil: instant('lease_until'),
  },
  (table) => [check('service_alerts_trouble_check', isOneOf(table.trouble, troubles))],
);

/** Result of the workers' calls to the site at its public address. One row. */
export const siteWatch = pgTable(
  'site_watch',
  {
    id: integer('id').primaryKey().default(1),
    /** Called address; results for another one do not count. */
    address: text('address').notNull(),
    askedAt: instant('asked_at').notNull(),
    /** Time when it last answered there; null if it never has. */
    answeredAt: instant('answered_at'),
    /** Since when it no longer answers; null while it does, and where it never has. */
    failingSince: instant('failing_since'),
    /** Time when it last answered again after it had not. */
    backAt: instant('back_at'),
    /** Reason for the missing answer: an HTTP status or a network error code. */
    reason: text('reason'),
  },
  (table) => [check('site_watch_id_check', sql`${table.id} = 1`)],
);

/** Result of the automatic backups. One row. */
export const backupState = pgTable(
  'backup_state',
  {
    id: integer('id').primaryKey().default(1),
    /** Location of the backups (`BACKUP_TO`); results for another one do not count. */
    place: text('place').notNull(),
    /** Time when the last try began. */
    triedAt: instant('tried_at'),
    /** Time when the last one that is whole was made, its name, and its bytes. */
    madeAt: instant('made_at'),
    name: text('name'),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    /** Since when no try went well, and why; null while all is well. */
    failingSince: instant('failing_since'),
    reason: text('reason'),
    /** Time when one was last read back, and how many letters opened. */
    practisedAt: instant('practised_at'),
    lettersOpened: integer('letters_opened'),
  },
  (table) => [check('backup_state_id_check', sql`${table.id} = 1`)],
);

/** Heartbeats boiled down to one row: how much healthy time there has been, and what the last beat saw. */
export const serviceHealth = pgTable('service_health', {
  id: integer('id').primaryKey().default(1),
  healthyMs: bigint('healthy_ms', { mode: 'number' }).notNull().default(0),
  lastBeatAt: instant('last_beat_at'),
  /** The highest wall time ever seen: behind it, nothing steps forward. */
  highestSeenAt: instant('highest_seen_at'),
  /** While mail is due and none is accepted, since when. */
  mailTroubledSince: instant('mail_troubled_since'),
  /** Time when the newest outage was over, or was last seen to go on. */
  outageEndedAt: instant('outage_ended_at'),
  /** Forward steps are stopped until the operator resumes them. */
  frozenAt: instant('frozen_at'),
  frozenReason: text('frozen_reason'),
  /** Since when the breaker has stopped what silence alone would do, until the operator has looked. */
  silenceStoppedAt: instant('silence_stopped_at'),
  /** Time when the operator last resumed releases, by the clock and in healthy time. Frozen mails became due then. */
  resumedAt: instant('resumed_at'),
  resumedHealthyMs: bigint('resumed_healthy_ms', { mode: 'number' }),
  /** The breaker's count: owners who moved to asking or releasing by silence on `breakerDay` (UTC). */
  breakerDay: text('breaker_day'),
  breakerCount: integer('breaker_count').notNull().default(0),
  /** Time when the operator confirmed a copy of the master key, and the version of that key. */
  keyCopiedAt: instant('key_copied_at'),
  keyCopiedVersion: integer('key_copied_version'),
  /** The offset of the test clock; zero unless `TEST_CLOCK=1`. */
  clockOffsetMs: bigint('clock_offset_ms', { mode: 'number' }).notNull().default(0),
  /** The part of the offset that was lived through, by which monotonic time moved too. */
  clockLivedMs: bigint('clock_lived_ms', { mode: 'number' }).notNull().default(0),
});
