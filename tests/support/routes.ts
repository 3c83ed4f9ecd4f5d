import * as accounts from '#shared/contract/accounts.ts';
import * as activity from '#shared/contract/activity.ts';
import * as admin from '#shared/contract/admin.ts';
import * as adminState from '#shared/contract/admin-state.ts';
import * as billing from '#shared/contract/billing.ts';
import * as complaints from '#shared/contract/complaints.ts';
import * as contacts from '#shared/contract/contacts.ts';
import * as dashboard from '#shared/contract/dashboard.ts';
import * as deletion from '#shared/contract/deletion.ts';
import * as documents from '#shared/contract/documents.ts';
import * as exports from '#shared/contract/export.ts';
import * as guidance from '#shared/contract/guidance.ts';
import * as identity from '#shared/contract/identity.ts';
import * as addresses from '#shared/contract/letters/addresses.ts';
import * as delivery from '#shared/contract/letters/delivery.ts';
import * as drafts from '#shared/contract/letters/drafts.ts';
import * as enclosures from '#shared/contract/letters/enclosures.ts';
import * as envelopes from '#shared/contract/letters/envelopes.ts';
import * as keepsake from '#shared/contract/letters/keepsake.ts';
import * as writingQuestions from '#shared/contract/letters/writing-questions.ts';
import * as mailbox from '#shared/contract/mailbox.ts';
import * as messages from '#shared/contract/messages.ts';
import * as news from '#shared/contract/news.ts';
import * as notMe from '#shared/contract/not-me.ts';
import * as adminMail from '#shared/contract/operator/failed-mails.ts';
import * as adminReleases from '#shared/contract/operator/releases.ts';
import * as phone from '#shared/contract/phone.ts';
import * as askerRemoval from '#shared/contract/release/asker-removal.ts';
import * as emergency from '#shared/contract/release/emergency.ts';
import * as newAddress from '#shared/contract/release/new-address.ts';
import * as portal from '#shared/contract/release/portal.ts';
import * as push from '#shared/contract/release/push.ts';
import * as rehearsal from '#shared/contract/release/rehearsal.ts';
import * as release from '#shared/contract/release/release.ts';
import * as sentLetters from '#shared/contract/release/sent-letters.ts';
import * as trustee from '#shared/contract/release/trustee.ts';
import type { Route } from '#shared/contract/route.ts';
import * as secondFactors from '#shared/contract/second-factors.ts';
import * as sessions from '#shared/contract/sessions.ts';
import * as waysIn from '#shared/contract/sign-in/ways-in.ts';
import * as texts from '#shared/contract/texts.ts';
import * as documentPages from '#shared/contract/vault/document-pages.ts';
import * as firstWeeks from '#shared/contract/vault/first-weeks.ts';
import * as recentlyDeleted from '#shared/contract/vault/recently-deleted.ts';
import * as sheet from '#shared/contract/vault/sheet.ts';

const files = [
  accounts,
  activity,
  askerRemoval,
  admin,
  adminMail,
  adminReleases,
  adminState,
  billing,
  complaints,
  contacts,
  dashboard,
  deletion,
  delivery,
  documents,
  documentPages,
  addresses,
  drafts,
  firstWeeks,
  emergency,
  enclosures,
  envelopes,
  exports,
  guidance,
  identity,
  keepsake,
  mailbox,
  messages,
  newAddress,
  news,
  writingQuestions,
  push,
  notMe,
  phone,
  portal,
  recentlyDeleted,
  rehearsal,
  sentLetters,
  release,
  secondFactors,
  sessions,
  sheet,
  texts,
  trustee,
  waysIn,
];

/** Every route of the contract, by its name in the source. */
export const contractRoutes: readonly { name: string; route: Route }[] = files.flatMap((file) =>
  Object.entries(file).flatMap(([name, value]) => (isRoute(value) ? [{ name, route: value }] : [])),
);

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;
}
