import { createAdministration } from '#server/features/admin/administrator.service.ts';
import { createBulkEmails } from '#server/features/admin/bulk-emails.service.ts';
import { createBulkSender } from '#server/features/admin/bulk-sender.service.ts';
import { createNews } from '#server/features/admin/news.service.ts';
import { createRevenues } from '#server/features/admin/revenue.service.ts';
import { createAdminUsers } from '#server/features/administered-accounts/users.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Subscriptions } from '#server/features/billing/subscriptions.service.ts';
import { createComplaints } from '#server/features/complaints/complaints.service.ts';
import type { Deletions } from '#server/features/deletion/deletion.service.ts';
import type { FailedMailDependencies } from '#server/features/failed-mail/failed-mail.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { NewAddresses } from '#server/features/redelivery/new-address.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { UnderWayDependencies } from '#server/features/releases-under-way/under-way.service.ts';
import { createAlerts } from '#server/features/service-health/alerts.service.ts';
import { createClockAcceptance } from '#server/features/service-health/clock-acceptance.service.ts';
import { createServiceState } from '#server/features/service-health/state.service.ts';
import type { WritingQuestions } from '#server/features/writing-questions/writing-questions.service.ts';
import type { createAccountServices } from './account-services.ts';
import type { Platform } from './service-platform.ts';

/** What these services need of the others. */
type Operated = Pick<ReturnType<typeof createAccountServices>, 'accounts' | 'accountChanges' | 'freshSignIns'> & {
  audit: Audit;
  notifications: Notifications;
  subscriptions: Subscriptions;
  deletions: Deletions;
  releases: Releases;
  newAddresses: NewAddresses;
  writingQuestions: WritingQuestions;
  operatorAddress: string;
  isMailSetUp: boolean;
  isTextingSetUp: boolean;
};

/** What whoever runs an installation sees, is told, and does. */
export function createOperatorServices(platform: Platform, operated: Operated) {
  const { db, clock, serviceKeys, mailer, mailFrom, baseUrl, adminEmail, queue, limits, log, isBackupSetUp } = platform;
  const { audit, freshSignIns, accounts, accountChanges, notifications, writingQuestions, operatorAddress } = operated;
  const { subscriptions, deletions, releases, isMailSetUp, isTextingSetUp } = operated;
  const alerts = createAlerts({ db, clock, serviceKeys, mailer, mailFrom, baseUrl, adminEmail, log });
  const administration = createAdministration({ freshSignIns, audit });
  const bulk = { db, clock, serviceKeys, accounts, notifications, baseUrl };
  const changing = { accounts, accountChanges, notifications, deletions, releases, subscriptions };
  const failedMail: FailedMailDependencies = {
    ...{ db, clock, serviceKeys, queue, accounts, administration },
    newAddresses: operated.newAddresses,
  };
  const underWay: UnderWayDependencies = { db, clock, accounts, releases, notifications };
  const shown = { isMailSetUp, isTextingSetUp, isBackupSetUp: isBackupSetUp ?? false };
  return {
    alerts,
    administration,
    failedMail,
    underWay,
    clockAcceptance: createClockAcceptance({ db, clock, audit }),
    serviceState: createServiceState({
      db,
      clock,
      administration,
      alerts,
      releases,
      audit,
      notifications,
      baseUrl,
      adminEmail,
      ...shown,
    }),
    bulkEmails: createBulkEmails({ ...bulk, queue, administration }),
    bulkSender: createBulkSender(bulk),
    news: createNews({ db, clock, hashToken: serviceKeys.hashToken, accounts, audit, writingQuestions }),
    complaints: createComplaints({ ...bulk, audit, administration, limits, operatorAddress }),
    revenues: createRevenues({ db, clock, administration }),
    adminUsers: createAdminUsers({ db, clock, ...changing, administration, baseUrl }),
  };
}
