import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { isOneOf } from '#server/platform/db/checks.ts';
import { instant } from '#server/platform/db/columns.ts';
import { troubles } from './alerts.rules.ts';

/** What the operator is being told of each trouble: one row a trouble, shared by all processes. */
export const serviceAlerts = pgTable(
  'service_alerts',
  {
    trouble: text('trouble', { enum: troubles }).primaryKey(),
    /** Since when it lasts; null while all is well. */
    since: instant('since'),
    /** Since when it looks well again, until the operator has been told so. */
    wellSince: instant('well_since'),
    /** Whether an alarm was accepted for the trouble that lasts. */
    isTold: boolean('is_told').notNull().default(false),
    /** When the last mail was accepted, about this trouble or the one before. */
    toldAt: instant('told_at'),
    /** It came back within a day of a mail: it counts as over only after a whole day. */
    isRelapse: boolean('is_relapse').notNull().default(false),
    /** How many mails were accepted ever; the number of the next one is in its Message-ID. */
    mails: integer('mails').notNull().default(0),
    /** How often the mail that is due was tried, and when it is tried again. */
    tries: integer('tries').notNull().default(0),
    nextTryAt: instant('next_try_at'),
    /** Which process is sending, and until when the others leave it alone. */
    claim: uuid('claim'),
    leaseUntil: instant('lease_until'),
  },
  (table) => [check('service_alerts_trouble_check', isOneOf(table.trouble, troubles))],
);

/** What workers found when they asked the site at its public address. One row. */
export const siteWatch = pgTable(
  'site_watch',
  {
    id: integer('id').primaryKey().default(1),
    /** The address that was asked; what is known of another says nothing. */
    address: text('address').notNull(),
    askedAt: instant('asked_at').notNull(),
    /** When it last answered there; null where it never has. */
    answeredAt: instant('answered_at'),
    /** Since when it no longer answers; null while it does, and where it never has. */
    failingSince: instant('failing_since'),
    /** When it last answered again after it had not. */
    backAt: instant('back_at'),
    /** Why there was no answer, as a status or a code of the network. */
    reason: text('reason'),
  },
  (table) => [check('site_watch_id_check', sql`${table.id} = 1`)],
);
