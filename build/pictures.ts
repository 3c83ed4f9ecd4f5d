import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from '@playwright/test';
import { productName } from '#shared/product.ts';
import { previewedPages } from '#web/previewed-pages.ts';
import { findBrowser } from './browser.ts';
import { icoOf } from './ico.ts';
import { drawReadmePicture, readmePicture, readmePictureDigest } from './readme-picture.ts';

/**
 * Draws the icons and the pictures of link previews from the mark in `favicon.svg`, and the README's picture of the dashboard, as
 * `npm run pictures`. They are committed, so that a build needs no browser. A test compares `picture-sources.json` with what they
 * would be drawn from now.
 */

const root = path.resolve(import.meta.dirname, '..');
const publicDir = path.join(root, 'web/public');
/** Colours of web/styles/tokens.css. */
const colours = { page: '#f3f0e7', ink: '#14302a', ink2: '#374b44', rule: '#14302a' } as const;

type Icon = {
  file: string;
  sizePx: number;
  /** Share of the side that the mark fills. A maskable icon keeps it within the safe zone of 80 % (W3C, Web App Manifest). */
  markShare: number;
  /** Null leaves what surrounds the mark transparent. */
  ground: string | null;
};

const icons: readonly Icon[] = [
  { file: 'pictures/icon-192.png', sizePx: 192, markShare: 1, ground: null },
  { file: 'pictures/icon-512.png', sizePx: 512, markShare: 1, ground: null },
  { file: 'pictures/maskable-192.png', sizePx: 192, markShare: 0.66, ground: colours.page },
  { file: 'pictures/maskable-512.png', sizePx: 512, markShare: 0.66, ground: colours.page },
  // iOS draws black behind a transparent icon, and rounds its corners.
  { file: 'apple-touch-icon.png', sizePx: 180, markShare: 0.78, ground: colours.page },
];
const icoSizesPx = [16, 32, 48] as const;
/** The size that Open Graph readers ask for. */
export const previewSize = { width: 1200, height: 630 } as const;

type PictureSources = {
  /** Digest of the mark. */
  digest: string;
  /** Digest of the files that draw the dashboard. */
  dashboard: string;
  /** Title and description of each preview. */
  words: Record<string, string[]>;
};

/** Returns the sources of the pictures. */
export async function pictureSources(): Promise<PictureSources> {
  const mark = await readFile(path.join(publicDir, 'favicon.svg'));
  const words = Object.fromEntries(
    previewedPages.map(({ picture, title, description }) => [picture, [title, description]]),
  );
  const digest = createHash('sha256').update(mark).digest('hex');
  return { digest, dashboard: await readmePictureDigest(), words };
}

async function drawAll(): Promise<void> {
  await mkdir(path.join(publicDir, 'pictures'), { recursive: true });
  const mark = await readFile(path.join(publicDir, 'favicon.svg'), 'utf8');
  // Loaded here, so that a test can ask for the sources without it.
  const { chromium } = await import('@playwright/test');
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: ['--no-sandbox'] });
  try {
    for (const { file, ...icon } of icons)
      await writeFile(path.join(publicDir, file), await drawIcon(browser, mark, icon));
    const small = [];
    for (const sizePx of icoSizesPx) {
      small.push({ sizePx, png: await drawIcon(browser, mark, { sizePx, markShare: 1, ground: null }) });
    }
    await writeFile(path.join(publicDir, 'favicon.ico'), icoOf(small));
    for (const { picture, title, description } of previewedPages) {
      const file = path.join(publicDir, 'pictures', picture);
      await writeFile(file, await drawPreview(browser, mark, { title, description }));
    }
    await writeFile(path.join(root, readmePicture), await drawReadmePicture(browser));
  } finally {
    await browser.close();
  }
  const sources = `${JSON.stringify(await pictureSources(), null, 2)}\n`;
  await writeFile(path.join(import.meta.dirname, 'picture-sources.json'), sources);
}

async function drawIcon(browser: Browser, mark: string, { sizePx, markShare, ground }: Omit<Icon, 'file'>) {
  const side = Math.round(sizePx * markShare);
  const styles = `body{margin:0;height:${sizePx}px;display:grid;place-items:center;background:${ground ?? 'transparent'}}svg{width:${side}px;height:${side}px}`;
  return shoot(browser, { width: sizePx, height: sizePx }, `<style>${styles}</style>${mark}`);
}

async function drawPreview(
  browser: Browser,
  mark: string,
  { title, description }: { title: string; description: string },
) {
  const font = async (name: string) => (await readFile(path.join(root, 'web/fonts', name))).toString('base64');
  const face = (family: string, data: string) =>
    `@font-face{font-family:"${family}";src:url(data:font/woff2;base64,${data});font-weight:200 900}`;
  const styles = `${face('Newsreader', await font('newsreader-roman.woff2'))}${face('Source Sans 3', await font('source-sans-3.woff2'))}
*{box-sizing:border-box;margin:0}
body{height:${previewSize.height}px;padding:64px 80px 72px;display:flex;flex-direction:column;background:${colours.page};color:${colours.ink}}
header{display:flex;align-items:center;gap:20px;padding-bottom:24px;border-bottom:6px double ${colours.rule};font:400 44px/1 Newsreader}
svg{width:72px;height:72px}
main{margin:auto 0}
h1{font:340 80px/1.08 Newsreader;letter-spacing:-.015em;text-wrap:balance}
p{margin-top:28px;font:400 34px/1.4 "Source Sans 3";color:${colours.ink2};text-wrap:pretty;max-width:26em}`;
  const words = `<main><h1>${title}</h1><p>${description}</p></main>`;
  return shoot(browser, previewSize, `<style>${styles}</style><header>${mark}${productName}</header>${words}`);
}

async function shoot(browser: Browser, viewport: { width: number; height: number }, markup: string): Promise<Buffer> {
  const page = await browser.newPage({ viewport });
  await page.setContent(`<!doctype html>${markup}`);
  await page.evaluate('document.fonts.ready');
  const png = await page.screenshot({ omitBackground: true });
  await page.close();
  return png;
}

if (import.meta.main) await drawAll();
