import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entrySources, linkedPaths } from '#web/linked-paths.ts';
import { signedInRoutes, signedOutRoutes } from '#web/routes.tsx';

export type BarePages = { distDir: string; remove(): Promise<void> };

/** A minimal web build, for tests of addresses and answers; journeys in the browser test the pages. */
export async function createBarePages(): Promise<BarePages> {
  const distDir = await mkdtemp(join(tmpdir(), 'everkept-pages-'));
  for (const folder of ['assets', 'drawing', 'pictures']) await mkdir(join(distDir, folder));
  const files = {
    'index.html': 'shell',
    'linked.json': JSON.stringify(Object.fromEntries(linkedPaths.map((path) => [path, 'index.html']))),
    'vault.json': '{}',
    'entries.json': JSON.stringify(Object.fromEntries(Object.keys(entrySources).map((path) => [path, 'index.html']))),
    'drawing/render-linked.js': `export const renderLinked = async () => ({ markup: '', title: '', sent: { answers: {} } });`,
    'landing.html': 'landing',
    'unknown.html': 'nothing here',
    'paths.json': JSON.stringify(signedOutRoutes.map(({ path }) => path)),
    'pages.json': JSON.stringify({ '/': 'landing.html' }),
    'favicon.svg': '<svg/>',
    'favicon.ico': '',
    'apple-touch-icon.png': '',
    'site.webmanifest': '{}',
    'push-worker.js': '',
    'robots.txt': '',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(distDir, name), text);
  return { distDir, remove: () => rm(distDir, { recursive: true }) };
}

/** True if the web application has a page there; a token stands where a route has a parameter. */
export function isPage(pathname: string): boolean {
  return [...signedInRoutes, ...signedOutRoutes]
    .map(({ path }) => path.replace(/\/:\w+\??/, '/[\\w-]{43}'))
    .some((path) => new RegExp(`^${path}$`).test(pathname));
}

/** The web addresses in a text, without what ends a sentence. */
export function linksIn(text: string): string[] {
  return (text.match(/https?:\/\/[^\s<>"]+/g) ?? []).map((link) => link.replace(/[.,;:)]+$/, ''));
}
