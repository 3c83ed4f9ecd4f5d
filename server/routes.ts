import type { FastifyInstance } from 'fastify';
import * as bulkEmails from '#server/features/admin/bulk-emails.ts';
import * as news from '#server/features/admin/news.ts';
import * as revenue from '#server/features/admin/revenue.ts';
import * as users from '#server/features/administered-accounts/users.ts';
import * as activity from '#server/features/audit/activity.ts';
import { registerPracticeCheckout } from '#server/features/billing/billing.routes.ts';
import * as billing from '#server/features/billing/billing.ts';
import * as complaints from '#server/features/complaints/complaints.ts';
import * as emergency from '#server/features/contact-portal/emergency.ts';
import * as ownerAddress from '#server/features/contact-portal/owner-address.ts';
import * as portalFirstWeeks from '#server/features/contact-portal/portal.first-weeks.ts';
import * as portal from '#server/features/contact-portal/portal.ts';
import * as trustee from '#server/features/contact-portal/trustee.ts';
import * as contactRemoval from '#server/features/contacts/contact-removal.ts';
import * as contacts from '#server/features/contacts/contacts.ts';
import * as invitations from '#server/features/contacts/invitations.ts';
import * as dashboard from '#server/features/dashboard/dashboard.ts';
import * as dataExport from '#server/features/data-export/export.ts';
import * as dataImport from '#server/features/data-export/import.ts';
import * as deletion from '#server/features/deletion/deletion.ts';
import * as notMe from '#server/features/deletion/not-me.ts';
import * as letterPage from '#server/features/delivery/letter-page.ts';
import * as readerSay from '#server/features/delivery/say/say.ts';
import * as documents from '#server/features/documents/documents.ts';
import * as documentPages from '#server/features/documents/list/document-pages.ts';
import * as wholeDocuments from '#server/features/documents/list/whole-list.ts';
import * as drafts from '#server/features/drafts/drafts.ts';
import * as failedMail from '#server/features/failed-mail/failed-mail.ts';
import * as firstWeeks from '#server/features/first-weeks/first-weeks.ts';
import * as guidance from '#server/features/guidance/guidance.ts';
import * as keepsake from '#server/features/keepsake/keepsake.ts';
import * as messageAddresses from '#server/features/messages/addresses.ts';
import * as enclosures from '#server/features/messages/enclosures.ts';
import * as envelopes from '#server/features/messages/list/envelopes.ts';
import * as summary from '#server/features/messages/list/summary.ts';
import * as wholeMessages from '#server/features/messages/list/whole-list.ts';
import * as messages from '#server/features/messages/messages.ts';
import * as planLimits from '#server/features/plan-limits/plan-limits.ts';
import * as push from '#server/features/push/push.ts';
import * as recentlyDeleted from '#server/features/recently-deleted/recently-deleted.ts';
import * as newAddress from '#server/features/redelivery/new-address.ts';
import * as externalReturn from '#server/features/registration/external-return.ts';
import * as mailboxProof from '#server/features/registration/mailbox-proof.ts';
import * as passwordReset from '#server/features/registration/password-reset.ts';
import * as phone from '#server/features/registration/phone.ts';
import * as profile from '#server/features/registration/profile.ts';
import * as registration from '#server/features/registration/registration.ts';
import * as releaseQuestion from '#server/features/release/release-question.ts';
import * as textReplies from '#server/features/release-mail/text-replies.ts';
import * as askerRemoval from '#server/features/release-settings/asker-removal.ts';
import * as checkInLinks from '#server/features/release-settings/checkin-links.ts';
import * as rehearsal from '#server/features/release-settings/rehearsal.ts';
import * as releaseOverview from '#server/features/release-settings/release-overview.ts';
import * as releaseSettings from '#server/features/release-settings/release-settings.ts';
import * as underWay from '#server/features/releases-under-way/under-way.ts';
import * as serviceState from '#server/features/service-health/state.ts';
import * as externalSignIn from '#server/features/sessions/external-sign-in.ts';
import * as reauthentication from '#server/features/sessions/reauthentication.ts';
import * as secondFactors from '#server/features/sessions/second-factors/second-factors.ts';
import * as secondStep from '#server/features/sessions/second-step.ts';
import * as sessions from '#server/features/sessions/sessions.ts';
import * as signIn from '#server/features/sessions/sign-in.ts';
import * as signOut from '#server/features/sessions/sign-out.ts';
import * as sheet from '#server/features/sheet/sheet.ts';
import * as identityLinks from '#server/features/ways-in/identity-links.ts';
import * as waysIn from '#server/features/ways-in/ways-in.ts';
import * as writingQuestions from '#server/features/writing-questions/writing-questions.ts';
import { serve } from '#server/http/bind.ts';
import * as accountsContract from '#shared/contract/accounts.ts';
import * as activityContract from '#shared/contract/activity.ts';
import * as adminContract from '#shared/contract/admin.ts';
import * as adminStateContract from '#shared/contract/admin-state.ts';
import * as billingContract from '#shared/contract/billing.ts';
import * as complaintsContract from '#shared/contract/complaints.ts';
import * as contactsContract from '#shared/contract/contacts.ts';
import * as dashboardContract from '#shared/contract/dashboard.ts';
import * as deletionContract from '#shared/contract/deletion.ts';
import * as documentsContract from '#shared/contract/documents.ts';
import * as exportContract from '#shared/contract/export.ts';
import * as guidanceContract from '#shared/contract/guidance.ts';
import * as identityContract from '#shared/contract/identity.ts';
import * as messageAddressesContract from '#shared/contract/letters/addresses.ts';
import * as deliveryContract from '#shared/contract/letters/delivery.ts';
import * as draftsContract from '#shared/contract/letters/drafts.ts';
import * as enclosuresContract from '#shared/contract/letters/enclosures.ts';
import * as envelopesContract from '#shared/contract/letters/envelopes.ts';
import * as keepsakeContract from '#shared/contract/letters/keepsake.ts';
import * as writingQuestionsContract from '#shared/contract/letters/writing-questions.ts';
import * as mailboxContract from '#shared/contract/mailbox.ts';
import * as messagesContract from '#shared/contract/messages.ts';
import * as newsContract from '#shared/contract/news.ts';
import * as notMeContract from '#shared/contract/not-me.ts';
import * as failedMailsContract from '#shared/contract/operator/failed-mails.ts';
import * as releasesUnderWayContract from '#shared/contract/operator/releases.ts';
import * as phoneContract from '#shared/contract/phone.ts';
import * as askerRemovalContract from '#shared/contract/release/asker-removal.ts';
import * as emergencyContract from '#shared/contract/release/emergency.ts';
import * as newAddressContract from '#shared/contract/release/new-address.ts';
import * as portalContract from '#shared/contract/release/portal.ts';
import * as pushContract from '#shared/contract/release/push.ts';
import * as rehearsalContract from '#shared/contract/release/rehearsal.ts';
import * as releaseContract from '#shared/contract/release/release.ts';
import * as sentLettersContract from '#shared/contract/release/sent-letters.ts';
import * as trusteeContract from '#shared/contract/release/trustee.ts';
import * as secondFactorsContract from '#shared/contract/second-factors.ts';
import * as sessionsContract from '#shared/contract/sessions.ts';
import * as waysInContract from '#shared/contract/sign-in/ways-in.ts';
import * as textsContract from '#shared/contract/texts.ts';
import * as documentPagesContract from '#shared/contract/vault/document-pages.ts';
import * as firstWeeksContract from '#shared/contract/vault/first-weeks.ts';
import * as recentlyDeletedContract from '#shared/contract/vault/recently-deleted.ts';
import * as sheetContract from '#shared/contract/vault/sheet.ts';
import type { App } from './app.ts';

/** Routes of billing without the practice checkout, which is registered apart. */
const { processPayment: _, ...paidPlansContract } = billingContract;

/** Binds every route of the contract to its use case: with `serve` for features that consist of functions. */
export function registerRoutes(http: FastifyInstance, app: App): void {
  serve(http, app, adminContract, { ...bulkEmails, ...revenue, ...users });
  serve(http, app, adminStateContract, serviceState);
  serve(http, app, failedMailsContract, failedMail);
  serve(http, app, keepsakeContract, keepsake);
  serve(http, app, recentlyDeletedContract, recentlyDeleted);
  serve(http, app, releasesUnderWayContract, underWay);
  serve(http, app, paidPlansContract, billing);
  registerPracticeCheckout(http, app);
  serve(http, app, activityContract, activity);
  serve(http, app, complaintsContract, complaints);
  serveContacts(http, app);
  serve(http, app, dashboardContract, { ...dashboard, ...planLimits });
  serve(http, app, exportContract, { ...dataExport, ...dataImport });
  serve(http, app, documentsContract, { ...documents, ...wholeDocuments });
  serve(http, app, documentPagesContract, documentPages);
  serve(http, app, draftsContract, drafts);
  serve(http, app, emergencyContract, emergency);
  serve(http, app, envelopesContract, { ...envelopes, ...summary });
  serve(http, app, guidanceContract, guidance);
  serve(http, app, firstWeeksContract, { ...firstWeeks, ...portalFirstWeeks });
  serve(http, app, sheetContract, sheet);
  serve(http, app, newsContract, news);
  serve(http, app, writingQuestionsContract, writingQuestions);
  serve(http, app, pushContract, push);
  serveAccounts(http, app);
  serve(http, app, deletionContract, deletion);
  serve(http, app, notMeContract, notMe);
  serveMessages(http, app);
  serve(http, app, releaseContract, { ...releaseSettings, ...releaseOverview, ...checkInLinks, ...releaseQuestion });
  serve(http, app, sentLettersContract, releaseOverview);
  serve(http, app, rehearsalContract, rehearsal);
  serve(http, app, askerRemovalContract, askerRemoval);
  serve(http, app, portalContract, { ...portal, ...ownerAddress });
  serve(http, app, newAddressContract, newAddress);
  serve(http, app, textsContract, textReplies);
  serve(http, app, trusteeContract, trustee);
  serve(http, app, deliveryContract, { ...letterPage, ...readerSay });
}

/** Binds the routes of messages. */
export function serveMessages(http: FastifyInstance, app: App): void {
  serve(http, app, messagesContract, { ...messages, ...wholeMessages });
  serve(http, app, messageAddressesContract, messageAddresses);
  serve(http, app, enclosuresContract, { ...enclosures, ...letterPage });
}

/** Binds the routes of contacts. */
export function serveContacts(http: FastifyInstance, app: App): void {
  serve(http, app, contactsContract, { ...contacts, ...contactRemoval, ...invitations });
}

/** Binds the routes of accounts and of signing in. */
export function serveAccounts(http: FastifyInstance, app: App): void {
  const signingIn = { ...signIn, ...signOut, ...reauthentication };
  serve(http, app, accountsContract, { ...registration, ...profile, ...passwordReset, ...signingIn });
  serve(http, app, mailboxContract, { ...registration, ...mailboxProof });
  serve(http, app, phoneContract, { ...profile, ...phone });
  serve(http, app, sessionsContract, sessions);
  serve(http, app, secondFactorsContract, { ...secondFactors, ...secondStep, ...reauthentication });
  serve(http, app, identityContract, { ...externalSignIn, ...externalReturn });
  serve(http, app, waysInContract, { ...identityLinks, ...waysIn, ...passwordReset });
}
