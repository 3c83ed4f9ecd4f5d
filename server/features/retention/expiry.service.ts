import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
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

export type Expiry = {
  /**
   * What removes records whose time is over: sign-ins, dead links, texts, payments, news of who wants none. Each kind has its
   * own, which removes one batch when it is called.
   */
  records: readonly { kind: string; remove: () => Promise<number> }[];
  /** One batch of rows of the audit log that are older than it is kept. */
  pruneAudit(): Promise<number>;
};

type Dependencies = { db: Database; clock: Clock; audit: Pick<Audit, 'prune' | 'record'> };

const batch = 5_000;
/** What a text said is kept like what a mail held: long enough to see why one went wrong, or to be answered. */
const textDays = 30;

/** What goes by the calendar and needs no notice, since nobody wrote it and the policy names its time. */
export function createExpiry({ db, clock, audit }: Dependencies): Expiry {
  async function removeSome(kind: keyof typeof expiring): Promise<number> {
    const now = await clock.now();
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
    return db.transaction(async (tx) => {
      const rows = await expiring[kind](tx, limits, batch);
      return noted(tx, { action: 'retention.records_removed', details: { of: kind, rows }, at: now });
    });
  }

  return {
    records: (Object.keys(expiring) as (keyof typeof expiring)[]).map((kind) => ({
      kind,
      remove: () => removeSome(kind),
    })),

    async pruneAudit() {
      const now = await clock.now();
      return db.transaction(async (tx) => {
        const rows = await audit.prune(tx, { before: yearsAfter(now, -auditLogYears), limit: batch, at: now });
        return noted(tx, { action: 'retention.audit_pruned', details: { rows }, at: now });
      });
    },
  };

  async function noted(
    executor: Executor,
    { action, details, at }: { action: string; details: { of?: string; rows: number }; at: Date },
  ): Promise<number> {
    if (details.rows > 0) await audit.record(executor, { userId: null, action, resource: 'installation', details, at });
    return details.rows;
  }
}
