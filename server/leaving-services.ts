import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Billing } from '#server/features/billing/billing.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import { createDeletions } from '#server/features/deletion/deletion.service.ts';
import { createErasures } from '#server/features/deletion/erasure.service.ts';
import { findHoldings } from '#server/features/deletion/holdings.repository.ts';
import { createNotMes } from '#server/features/deletion/not-me.service.ts';
import type { Deliveries } from '#server/features/delivery/delivery.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Anchors } from '#server/features/integrity/anchors.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { ReadyChanges } from '#server/features/ready-changes/ready-changes.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { createDailyRound } from '#server/features/retention/daily-round.service.ts';
import { createExpiry } from '#server/features/retention/expiry.service.ts';
import { createRetention } from '#server/features/retention/retention.service.ts';
import type { WritingQuestions } from '#server/features/writing-questions/writing-questions.service.ts';
import type { createAccountServices } from './account-services.ts';
import type { Platform } from './service-platform.ts';

/** What these services need of the others. */
type Kept = ReturnType<typeof createAccountServices> & {
  billing: Billing;
  contacts: Contacts;
  releases: Releases;
  deliveries: Deliveries;
  notifications: Notifications;
  audit: Audit;
  files: Files;
  anchors: Anchors;
  writingQuestions: WritingQuestions;
  readyChanges: ReadyChanges;
};

/** How accounts and what is in them come to an end: by their owner, by time, and every day. */
export function createLeavingServices({ db, clock, log, baseUrl, ledger }: Platform, kept: Kept) {
  const { billing, releases, audit, files, anchors, writingQuestions, readyChanges } = kept;
  const { subscriptions, offboarding, vouchers } = billing;
  const ground = { db, clock, baseUrl };
  const deletions = createDeletions({ ...ground, ...kept, subscriptions });
  const erasures = createErasures({ db, clock, log, ...kept, offboarding, vouchers, ledger });
  const going = { ...ground, ...kept, deletions, erasures, offboarding };
  const retention = createRetention(going);
  const expiry = createExpiry({ db, clock, audit });
  const chores = { releases, erasures, retention, expiry, files, anchors, writingQuestions, readyChanges };
  return {
    deletions,
    erasures,
    notMes: createNotMes({ ...going, holdingsOf: findHoldings }),
    dailyRound: createDailyRound({ db, clock, log, ...chores }),
  };
}
