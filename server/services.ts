import { createKeyRotation } from '#server/features/accounts/key-rotation.service.ts';
import { createPasswords } from '#server/features/accounts/passwords.ts';
import { createActivityPages } from '#server/features/audit/activity.service.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { createBilling } from '#server/features/billing/billing.service.ts';
import { releaseStops } from '#server/features/billing/release-stops/release-stops.service.ts';
import { createBounceReader } from '#server/features/bounces/bounces.service.ts';
import { createEmergencies } from '#server/features/contact-portal/emergency.service.ts';
import { createPortals } from '#server/features/contact-portal/portal.service.ts';
import { createTrusteePanels } from '#server/features/contact-portal/trustee.service.ts';
import { createContacts } from '#server/features/contacts/contacts.service.ts';
import { createDashboard } from '#server/features/dashboard/dashboard.service.ts';
import { createExports } from '#server/features/data-export/export.service.ts';
import { createImports } from '#server/features/data-export/import.service.ts';
import { findHoldings } from '#server/features/deletion/holdings.repository.ts';
import { createDeliveries } from '#server/features/delivery/delivery.service.ts';
import { createDocuments } from '#server/features/documents/documents.service.ts';
import { createDrafts } from '#server/features/drafts/drafts.service.ts';
import { createFiles } from '#server/features/files/files.service.ts';
import { createGuidance } from '#server/features/guidance/guidance.service.ts';
import { createAnchors } from '#server/features/integrity/anchors.service.ts';
import { createIntegrity } from '#server/features/integrity/integrity.service.ts';
import { createIntegrityCheck } from '#server/features/integrity/integrity-check.service.ts';
import { createKeepsakes } from '#server/features/keepsake/keepsake.service.ts';
import { createMessages } from '#server/features/messages/messages.service.ts';
import { createNotifications } from '#server/features/notifications/notifications.service.ts';
import { createOutbox } from '#server/features/outbox/outbox.service.ts';
import { createPlanLimits } from '#server/features/plan-limits/plan-limits.service.ts';
import { createReadyChanges } from '#server/features/ready-changes/ready-changes.service.ts';
import { createRecentlyDeleted } from '#server/features/recently-deleted/recently-deleted.service.ts';
import { createNewAddresses } from '#server/features/redelivery/new-address.service.ts';
import { createReleases } from '#server/features/release/release.service.ts';
import { readHealthyTime } from '#server/features/release-health/health.service.ts';
import { type MailReply, receiveMailReply } from '#server/features/release-mail/mail-replies.service.ts';
import { createTextInbox } from '#server/features/release-mail/text-replies.service.ts';
import { createOwnersRelease } from '#server/features/release-settings/owners-release.service.ts';
import { siteDownUntilMs } from '#server/features/service-health/site-watch.service.ts';
import { createWritingQuestions } from '#server/features/writing-questions/writing-questions.service.ts';
import { constantTimeMs } from '#server/platform/clock/constant-time.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { isLoopback } from '#server/platform/loopback.ts';
import { parseMailAddress } from '#server/platform/mail/addresses.ts';
import { createReturnPaths } from '#server/platform/mail/return-paths.ts';
import { paymentsOf } from '#server/platform/payments/payments.ts';
import { createAccountServices } from './account-services.ts';
import { createLeavingServices } from './leaving-services.ts';
import { createOperatorServices } from './operator-services.ts';
import type { Platform } from './service-platform.ts';

export type Services = ReturnType<typeof createServices>;

/** On the machine of somebody who tries this out, mail is read in the outbox: pages say so once, and it is no fault. */
function isTriedOut(baseUrl: string | URL): boolean {
  return isLoopback(new URL(baseUrl).hostname);
}

/**
 * Puts the features together. Services call one way; what has to call back has subscribed, so the order here is the
 * order of calling, innermost first.
 */
export function createServices(platform: Platform) {
  const { db, clock, log, baseUrl, serviceKeys, mailer, texter, queue, limits, adminEmail } = platform;
  const { answerFloorMs = constantTimeMs, store, scanner } = platform;
  const { hashToken } = serviceKeys;
  const vaults = createVaults(platform.masterKeys, (context) => integrity.report(context));
  const audit = createAudit(serviceKeys);
  const operatorAddress = adminEmail ?? parseMailAddress(platform.mailFrom).address;
  const mailbox = platform.bounceAddress ?? parseMailAddress(platform.mailFrom).address;
  const returnPaths = createReturnPaths({ mailbox, sign: (text) => serviceKeys.derive('return-path', text) });
  const mailCheck = { address: operatorAddress, baseUrl };
  const sending = { db, clock, serviceKeys, mailer, texter, queue, returnPaths, mailFrom: platform.mailFrom, log };
  const notifications = createNotifications({ ...sending, mailCheck });
  const isMailSetUp = mailer.kind === 'smtp';
  const watching = { db, clock, audit, notifications, log, baseUrl, adminEmail };
  const integrity = createIntegrity(watching);
  const anchors = createAnchors({ ...watching, isMailSetUp });
  platform.serviceKeys.onBroken(integrity.report);
  const { spend: spendBudget, spendWritten } = limits;
  const isTextingSetUp = texter.kind !== 'outbox' || mailer.kind === 'outbox';
  const account = createAccountServices({
    db,
    clock,
    isTextingSetUp,
    vaults,
    audit,
    notifications,
    passwords: platform.passwords ?? createPasswords(),
    answerFloorMs,
    spendBudget,
    serviceKeys,
    holdingsOf: findHoldings,
    ledger: platform.ledger,
    saveReleaseSettings: (actor, settings) => ownersRelease.updateSettings(actor, settings),
    baseUrl,
    adminEmail,
    identityProviders: platform.identityProviders ?? [],
  });
  const { accounts, freshSignIns, handOvers } = account;
  const billing = createBilling({
    db,
    clock,
    accounts,
    handOvers,
    audit,
    notifications,
    payments: platform.payments ?? paymentsOf([]),
    serviceKeys,
    queue,
    baseUrl,
    log,
  });
  const files = createFiles({ db, clock, vaults, store, scanner, log });
  const vaulted = { db, clock, vaults, accounts, audit };
  const messages = createMessages({ ...vaulted, files, freshSignIns });
  const documents = createDocuments({ ...vaulted, files });
  const contacts = createContacts({ ...vaulted, freshSignIns, hashToken, notifications, baseUrl, spendBudget });
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
    healthyTime: readHealthyTime,
    adminEmail,
    log,
  });
  const ofRelease = {
    db,
    clock,
    hashToken,
    accounts,
    freshSignIns,
    contacts,
    messages,
    documents,
    deliveries,
    notifications,
    renewals: releaseStops,
    audit,
    log,
    baseUrl,
    answerDaysDefault: platform.answerDaysDefault,
    isMailSetUp: isMailSetUp || isTriedOut(baseUrl),
    // Whoever reads the mails at /outbox reads the texts there too.
    isTextingSetUp,
    textsTakeAnswers: texter.takesAnswers,
    spendBudget,
    adminEmail,
    siteDownUntilMs,
    ...(platform.monotonicMs ? { monotonicMs: platform.monotonicMs } : {}),
    ...(platform.onReleaseStep ? { onStep: platform.onReleaseStep } : {}),
  };
  const releases = createReleases(ofRelease);
  const ownersRelease = createOwnersRelease(ofRelease, releases);
  const newAddresses = createNewAddresses(ofRelease, releases);
  const ground = { db, clock, accounts, notifications, audit, baseUrl };
  const onReply = (reply: MailReply) => receiveMailReply({ ...ground, hashToken }, reply);
  const writingQuestions = createWritingQuestions({ db, clock, serviceKeys, accounts, notifications, baseUrl, audit });
  const readyChanges = createReadyChanges({ ...ground, readersOf: messages.readersOf });

  const kept = { ...account, billing, contacts, releases, deliveries, notifications, audit, files, anchors };
  const leaving = createLeavingServices(platform, { ...kept, writingQuestions, readyChanges });
  const { answerDaysDefault } = platform;
  const panel = { db, clock, accounts, freshSignIns, contacts, messages, releases, answerDaysDefault };
  const guidance = createGuidance({ db, clock, vaults, accounts });
  const belongings = { db, clock, accounts, audit, files, messages, documents, contacts };

  const ways = { isMailSetUp, isTextingSetUp: texter.kind !== 'outbox', operatorAddress };
  const { subscriptions } = billing;
  const operated = { ...kept, ...leaving, ...ways, newAddresses, subscriptions, writingQuestions };

  return {
    audit,
    activityPages: createActivityPages({ db }),
    notifications,
    bounces: createBounceReader({ clock, notifications, returnPaths, onReply, mailFrom: platform.mailFrom }),
    ...account,
    billing,
    files,
    messages,
    documents,
    contacts,
    ...{ deliveries, keepsakes: createKeepsakes({ clock, deliveries, spendBudget }) },
    releases,
    ownersRelease,
    newAddresses,
    portals: createPortals({ ...panel, hashToken, documents, notifications, audit, baseUrl, spendBudget }),
    trusteePanels: createTrusteePanels(panel),
    textInbox: createTextInbox({ ...ground, replies: platform.textReplies ?? null }),
    emergencies: createEmergencies({ ...ground, contacts, releases, limits, answerFloorMs }),
    dashboard: createDashboard({ db, clock }),
    exports: createExports({ db, clock, vaults, serviceKeys, accounts, freshSignIns, audit, files, spendBudget }),
    ...leaving,
    guidance,
    drafts: createDrafts({ db, clock, vaults, accounts }),
    recentlyDeleted: createRecentlyDeleted({ ...belongings, vaults, freshSignIns, spendWritten }),
    imports: createImports({ ...belongings, freshSignIns, guidance, ownersRelease, spendBudget, spendWritten }),
    planLimits: createPlanLimits({ db }),
    integrity,
    integrityCheck: createIntegrityCheck({ db, clock, vaults, serviceKeys, store, integrity, audit }),
    keyRotation: createKeyRotation({ db, clock, vaults, masterKeys: platform.masterKeys, audit }),
    ...{ writingQuestions, readyChanges },
    ...createOperatorServices(platform, operated),
    outbox: createOutbox({ db, serviceKeys, mailer, texter }),
  };
}
