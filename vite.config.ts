import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { evaluated } from '#build/evaluated.ts';

/** Parts that even a page for reading loads. Without this rule they would join the file below. */
const begin =
  /vite\/preload-helper|web\/lib\/(theme-store|translation-guard|api\/early-reads|loading\/(failed-styles|first-interest|first-use|pending-press|idle))\.ts$/;

/** Parts of every interactive page, in one file: fewer requests, and better compression. */
const base =
  /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|mitt)\/|rolldown\/runtime|shared\/(product|api-prefix|rules\/plans)\.ts|web\/(start|ready-pages|components\/(layout\/(brand|failure-boundary|footer|page|public-header)|ui\/(badge|button|drawing|icon|mark|spinner|toaster))|lib\/(drafts\/leave-warning|loading\/(fetched-page|not-fetched)|open-dialogs|toast|use-title)|root)\.tsx?$/;

/** Cards of the plans, on the landing page and in the vault. */
const planCards = /web\/components\/plans\//;

/** Parts that show a letter to its writer and reader: small files that load together. */
const sheet =
  /web\/(components\/letter\/|lib\/sealing\/(base64url|letter-seal)\.ts)|shared\/rules\/(letter-seal|letters\/(enclosures|sealed-envelope))\.ts/;

/** The contract's schemas, used by the vault and its forms. */
const contract = /node_modules\/zod\/|shared\/contract\//;

/** Small things of which nearly every page has most, the vault's and those behind links. */
const common =
  /web\/styles\/app\.css|web\/(components\/(ui\/(banner|card|dialog|empty|field|skeleton)|layout\/error-boundary)|lib\/(api\/(api|light-routes|sent-answers)|format|use-is-live|use-typed-before))\.tsx?|shared\/rules\/(passwords|prices|vouchers)\.ts/;

/** Rules of names, files and days, and small parts of pages behind links. The entry forms of the vault use none of them. */
const rules =
  /web\/(lib\/(file-words|api\/(use-link-read|download))|components\/(ui\/support-lines|layout\/press-form))\.tsx?|shared\/(support-lines|rules\/(names|letterhead\/titles|files|sizes|retention|letters\/paragraphs))\.ts/;

/** Rules of silence, which letters and the forms that lead into the vault do not state. */
const silence = /shared\/rules\/(inactivity|release-answers)\.ts/;

/** Parts of every page of the vault. The page that reads a list in pages loads that part of the query library itself. */
const application =
  /node_modules\/@tanstack\/(?!.*[iI]nfiniteQuery(Observer)?\.js)|web\/(app|routes|vault-start|take-place)\.tsx?|web\/lib\/(loading\/use-fetched-part|session|theme|verified-return|drafts\/draft-store|api\/(query|reads|changes))\.tsx?|web\/features\/(accounts\/(owner-name|use-session-ended|verification-banner)|billing\/(choice|use-intended-plan))|web\/components\/(ui\/(badge|menu|progress-bar|damaged-note)|layout\/(app-header|account-menu|find-button)|fresh-sign-in\/not-confirmed)|shared\/rules\/letters\/writing-questions\.ts/;

/** Parts that a vault page loads later, and that its entry forms do not need. */
const keys = /web\/(features\/keys\/(keys|use-keys|key-press|keys-choice)|lib\/(asked-page|api\/vault-routes))\.tsx?$/;

/** Days in London. The contract's schemas use them, and so do pages that must not wait for those. */
const londonDays = /shared\/rules\/london-day\.ts/;

/** The forms that lead into the vault. */
const entrance =
  /web\/(features\/accounts\/(login-form|passkey-login|provider-links|provider-name|sign-in|sign-in-frame|use-entrance|use-second-step-return)|lib\/(form-issues|loading\/late-check))\.tsx?$/;

const lightRoutes = path.join(import.meta.dirname, 'web/lib/api/light-routes.ts');
const vaultRoutes = path.join(import.meta.dirname, 'web/lib/api/vault-routes.ts');
const pushRoutes = path.join(import.meta.dirname, 'web/features/push/push-routes.ts');

/**
 * The web's build. Small files stay files, since the content security policy forbids `data:` scripts and styles. The
 * placeholder becomes each answer's own nonce when the page is sent.
 */
export default defineConfig({
  root: 'web',
  plugins: [
    react(),
    evaluated(lightRoutes, 'light'),
    evaluated(vaultRoutes, 'vaultRoutes'),
    evaluated(pushRoutes, 'pushRoutes'),
  ],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    // A browser that knows no such links finds the same files a moment later.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'begin', test: begin, priority: 6 },
            { name: 'base', test: base, priority: 5 },
            { name: 'common', test: common, priority: 4 },
            { name: 'rules', test: rules, priority: 4 },
            { name: 'silence', test: silence, priority: 4 },
            { name: 'london-day', test: londonDays, priority: 4 },
            { name: 'plan-cards', test: planCards, priority: 4 },
            { name: 'sheet', test: sheet, priority: 3 },
            { name: 'app', test: application, priority: 2 },
            { name: 'keys', test: keys, priority: 1 },
            { name: 'forms', test: /node_modules\/react-hook-form\//, priority: 3 },
            { name: 'entrance', test: entrance, priority: 2 },
            { name: 'contract', test: contract, priority: 1 },
          ],
        },
      },
    },
  },
});
