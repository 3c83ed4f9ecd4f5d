import { getAuthUser, getUser } from '#shared/contract/accounts.ts';
import { getBilling } from '#shared/contract/billing.ts';
import { listContacts } from '#shared/contract/contacts.ts';
import { getDashboardStats, getPlanLimits } from '#shared/contract/dashboard.ts';
import { listOldAddresses } from '#shared/contract/letters/addresses.ts';
import { getLettersSummary, listEnvelopes } from '#shared/contract/letters/envelopes.ts';
import { getWritingQuestions } from '#shared/contract/letters/writing-questions.ts';
import { getRehearsal } from '#shared/contract/release/rehearsal.ts';
import { getRelease, getReleaseSettings } from '#shared/contract/release/release.ts';
import type { Route } from '#shared/contract/route.ts';
import { getSecondFactors } from '#shared/contract/second-factors.ts';
import { listDocumentPage } from '#shared/contract/vault/document-pages.ts';
import { getFirstWeeks, getFirstWeeksPage } from '#shared/contract/vault/first-weeks.ts';
import { listRecentlyDeleted } from '#shared/contract/vault/recently-deleted.ts';
import type { VaultPath } from '#web/content/vault-headings.ts';

/** A page of the vault: the module that holds it, from the web's root, and what it reads before it is whole. */
export type VaultPage = {
  source: string;
  reads: readonly Route[];
  /** True if it shows slanted words as soon as it opens. */
  hasItalic?: true;
};

/** Read for every page: who is signed in, and whether they are asked something before they see any. */
const first = [getAuthUser, getRelease];

/**
 * By its address. The build names both in the page that is sent, so that scripts and answers come at once, and not one after
 * the other. No browser fetches this file.
 */
export const vaultPages: Record<VaultPath, VaultPage> = {
  '/': {
    source: 'pages/vault/dashboard.tsx',
    reads: [...first, getDashboardStats, getPlanLimits, getLettersSummary, listContacts, getReleaseSettings],
    hasItalic: true,
  },
  '/messages': {
    source: 'pages/vault/messages.tsx',
    reads: [...first, listEnvelopes, listOldAddresses, getWritingQuestions],
  },
  '/documents': { source: 'pages/vault/documents.tsx', reads: [...first, listDocumentPage, getPlanLimits] },
  '/contacts': { source: 'pages/vault/contacts.tsx', reads: [...first, listContacts] },
  '/rehearsal': { source: 'pages/release/rehearsal.tsx', reads: [...first, getRehearsal] },
  '/recently-deleted': { source: 'pages/vault/recently-deleted.tsx', reads: [...first, listRecentlyDeleted] },
  '/help': { source: 'pages/vault/help.tsx', reads: first },
  '/first-weeks': { source: 'pages/vault/first-weeks.tsx', reads: [...first, getFirstWeeksPage, listContacts] },
  '/first-weeks/notes': { source: 'pages/vault/first-weeks-notes.tsx', reads: [...first, getFirstWeeks] },
  '/account': { source: 'pages/account/account.tsx', reads: [...first, getUser, getPlanLimits, getBilling] },
  '/privacy': { source: 'pages/account/privacy.tsx', reads: [...first, getSecondFactors, getLettersSummary] },
};
