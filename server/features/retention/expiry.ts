import type { App } from '#server/app.ts';
import { pruneAudit } from '#server/features/audit/audit.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import {
  auditLogYears,
  complaintRecordYears,
  mailRecordYears,
  marketingAfterWithdrawalDays,
  paymentRecordYears,
  recentlyDeletedMs,
  securityLogYears,
  stagedMs,
} from '#shared/rules/retention.ts';
import { yearsAfter } from '#shared/rules/retention-dates.ts';
import { expiring } from './expiry.repository.ts';

type ExpiringKind = keyof typeof expiring;
/** Sign-ins, expired links, texts, payments, news that a person stopped, and other records with an end of their own. */
export const expiringKinds = Object.keys(expiring) as readonly ExpiringKind[];

const batch = 5_000;
/** Texts are kept as long as mails: long enough to examine a failure, or to be answered. */
const textDays = 30;

/** Removes one batch of expired records of a kind. Owners get no notice, since the policy names the time. Returns the number of rows. */
export async function removeExpired(app: App, kind: ExpiringKind): Promise<number> {
  const now = await app.clock.now();
  const limits = {
    now,
    security: yearsAfter(now, -securityLogYears),
    payments: yearsAfter(now, -paymentRecordYears),
    complaints: yearsAfter(now, -complaintRecordYears),
    mails: yearsAfter(now, -mailRecordYears),
    texts: new Date(now.getTime() - textDays * dayMs),
    deleted: new Date(now.getTime() - recentlyDeletedMs),
    staged: new Date(now.getTime() - stagedMs),
    newsStopped: new Date(now.getTime() - marketingAfterWithdrawalDays * dayMs),
  };
  return app.db.transaction(async (tx) => {
    const rows = await expiring[kind](tx, limits, batch);
    return noted(app, tx, { action: 'retention.records_removed', details: { of: kind, rows }, at: now });
  });
}

/** Removes one batch of expired rows of the audit log. Returns the number of rows. */
export async function removeExpiredAudit(app: App): Promise<number> {
  const now = await app.clock.now();
  return app.db.transaction(async (tx) => {
    const rows = await pruneAudit(app, tx, { before: yearsAfter(now, -auditLogYears), limit: batch, at: now });
    return noted(app, tx, { action: 'retention.audit_pruned', details: { rows }, at: now });
  });
}

async function noted(
  app: App,
  tx: Executor,
  { action, details, at }: { action: string; details: { of?: string; rows: number }; at: Date },
): Promise<number> {
  if (details.rows > 0) await recordAudit(app, tx, { userId: null, action, resource: 'installation', details, at });
  return details.rows;
}
