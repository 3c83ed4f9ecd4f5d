import type { Logger } from 'pino';
import { createAccounts } from '#server/features/accounts/accounts.service.ts';
import { createPasswords } from '#server/features/accounts/passwords.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { createPlanLimits } from '#server/features/billing/plan-limits.service.ts';
import { createContacts } from '#server/features/contacts/contacts.service.ts';
import { createDashboard } from '#server/features/dashboard/dashboard.service.ts';
import { createDeliveries } from '#server/features/delivery/delivery.service.ts';
import { createDocuments } from '#server/features/documents/documents.service.ts';
import { createFiles } from '#server/features/files/files.service.ts';
import { createGuidance } from '#server/features/guidance/guidance.service.ts';
import { createMessages } from '#server/features/messages/messages.service.ts';
import { createNotifications } from '#server/features/notifications/notifications.service.ts';
import { createOutbox } from '#server/features/notifications/outbox.service.ts';
import { createEmergencies } from '#server/features/release/emergency.service.ts';
import { createPortals } from '#server/features/release/portal.service.ts';
import { createReleases } from '#server/features/release/release.service.ts';
import { createTrusteePanels } from '#server/features/release/trustee.service.ts';
import type { RateLimits } from '#server/http/rate-limits.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { FileStore } from '#server/platform/files/file-store.ts';
import type { IdentityProvider } from '#server/platform/identity/identity-provider.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { Queue } from '#server/platform/queue/queue.ts';
import type { Scanner } from '#server/platform/scanner/scanner.ts';
import type { Texter } from '#server/platform/sms/texter.ts';

/** The doors outside, opened. */
export type Platform = {
  db: Database;
  log: Logger;
  clock: Clock;
  masterKeys: MasterKeys;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  queue: Queue;
  store: FileStore;
  scanner: Scanner;
  /** Left out where nobody signs in with Google. */
  google?: IdentityProvider | null;
  limits: RateLimits;
  /** The public address, without a path. */
  baseUrl: string;
  mailFrom: string;
  adminEmail: string | null;
  /** Days that contacts have to answer where the owner chose none. */
  answerDaysDefault: number;
  /** This process's own clock, for tests whose time is moved by hand. */
  monotonicMs?: () => number;
};

export type Services = ReturnType<typeof createServices>;

/**
 * Puts the features together. Services call one way; what has to call back has subscribed, so the order here is the
 * order of calling, innermost first.
 */
export function createServices(platform: Platform) {
  const { db, clock, log, baseUrl, serviceKeys, mailer, texter, queue, limits, adminEmail } = platform;
  const vaults = createVaults(platform.masterKeys);
  const audit = createAudit();
  const notifications = createNotifications({
    db,
    clock,
    serviceKeys,
    mailer,
    texter,
    queue,
    mailFrom: platform.mailFrom,
    log,
  });
  const spendBudget = limits.spend;
  const accounts = createAccounts({
    db,
    clock,
    vaults,
    audit,
    notifications,
    passwords: createPasswords(),
    spendBudget,
    saveReleaseSettings: (actor, settings) => releases.updateSettings(actor, settings),
    baseUrl,
    adminEmail,
    google: platform.google ? { provider: platform.google, serviceKeys } : undefined,
  });
  const { store, scanner } = platform;
  const files = createFiles({ db, clock, vaults, store, scanner, log });
  const messages = createMessages({ db, clock, vaults, accounts, audit, files });
  const documents = createDocuments({ db, clock, vaults, accounts, audit, files });
  const contacts = createContacts({ db, clock, vaults, accounts, audit, notifications, baseUrl, spendBudget });
  const deliveries = createDeliveries({
    db,
    clock,
    baseUrl,
    keys: serviceKeys,
    accounts,
    messages,
    contacts,
    notifications,
    audit,
  });
  const releases = createReleases({
    db,
    clock,
    accounts,
    contacts,
    messages,
    deliveries,
    notifications,
    audit,
    log,
    baseUrl,
    answerDaysDefault: platform.answerDaysDefault,
    isMailSetUp: mailer.kind === 'smtp',
    adminEmail,
    ...(platform.monotonicMs ? { monotonicMs: platform.monotonicMs } : {}),
  });

  return {
    audit,
    notifications,
    accounts,
    files,
    messages,
    documents,
    contacts,
    deliveries,
    releases,
    portals: createPortals({ db, clock, accounts, contacts, messages, documents, releases }),
    trusteePanels: createTrusteePanels({ db, clock, accounts, contacts, messages, releases }),
    emergencies: createEmergencies({
      db,
      clock,
      accounts,
      contacts,
      notifications,
      audit,
      releases,
      baseUrl,
      limits,
    }),
    dashboard: createDashboard({ db, clock }),
    guidance: createGuidance({ db, clock, vaults, accounts }),
    planLimits: createPlanLimits({ db }),
    outbox: createOutbox({ db, serviceKeys, mailer, texter }),
  };
}
