import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What even a page that is only read loads: without a rule it would be put into the file below. */
const begin = /vite\/preload-helper|web\/lib\/(theme-store|first-interest|first-use|held-press)\.ts$/;

/**
 * What every page needs once it is brought to life, in one file: fewer requests, and better compressed together than
 * apart. The plans are among it since the landing page shows them, and so little costs more in files of its own.
 */
const base =
  /node_modules\/(react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|mitt)\/|rolldown\/runtime|shared\/(product|contract\/route|rules\/plans)\.ts|web\/(start|ready-pages|components\/(plans\/(cycle-switch|plan-card|plan-facts)|layout\/(brand|footer|page|public-header)|ui\/(badge|button|drawing|icon|mark|spinner|toaster))|lib\/(drafts\/leave-warning|toast|use-title)|root)\.tsx?$/;

/** What shows a letter, to its writer and to its reader: small files that only come together. */
const sheet =
  /web\/(components\/letter\/|lib\/(file-words|sealing\/(base64url|letter-seal))\.ts)|shared\/rules\/letters\/enclosures\.ts/;

/**
 * The web's build. Small files stay files, since the content security policy has no room for `data:` scripts and
 * styles; the mark is replaced by each answer's own nonce when the page is sent.
 */
export default defineConfig({
  root: 'web',
  plugins: [react()],
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
            { name: 'begin', test: begin, priority: 1 },
            { name: 'base', test: base },
            { name: 'sheet', test: sheet },
          ],
        },
      },
    },
  },
});
