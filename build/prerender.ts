import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Manifest, ManifestChunk } from 'vite';
import type { PrerenderedPage } from '#web/prerender.tsx';
import { bundlePrerender } from './bundle.ts';

type Folders = { root: string; outDir: string; workDir: string };

const nonceMark = '__NONCE__';
const emptyRoot = '<div id="root"></div>';
const everyPageFonts = ['fonts/newsreader-roman.woff2', 'fonts/source-sans-3.woff2'];
const pages = {
  landing: { styles: 'pages/landing.tsx', fonts: [...everyPageFonts, 'fonts/newsreader-italic.woff2'] },
} satisfies Record<PrerenderedPage['page'], { styles: string; fonts: string[] }>;

/** What the shell loads besides its small beginning: named in its head, so that it is not found one by one. */
const shellSources = ['start.tsx', 'app.tsx'];

/**
 * Turns the bundled `index.html` into the files that are served: the shell, and beside it one file for each page that
 * is sent ready to read, which has no script but the small one that waits for somebody to use it.
 */
export async function writePages({ root, outDir, workDir }: Folders): Promise<void> {
  const template = await readFile(path.join(outDir, 'index.html'), 'utf8');
  const manifest: Manifest = JSON.parse(await readFile(path.join(outDir, '.vite/manifest.json'), 'utf8'));
  const entry = await bundlePrerender({ root, outDir: path.join(workDir, 'ssr') });
  const { prerenderPages }: { prerenderPages: () => Promise<PrerenderedPage[]> } = await import(
    pathToFileURL(entry).href
  );
  for (const { page, title, markup } of await prerenderPages()) {
    if (markup.includes(' style='))
      throw new Error(`The page ${page} has a style attribute, which the policy forbids.`);
    const { styles, fonts } = pages[page];
    const head = [...fonts.map((font) => fontLink(manifest, font)), ...styleLinks(manifest, [styles])].join('');
    const html = replaced(template, [
      [emptyRoot, `<div id="root" data-page="${page}">${markup}</div>`],
      ['<title>Everkept</title>', `<title>${title}</title>`],
      ['</head>', `${head}</head>`],
    ]);
    await writeFile(path.join(outDir, `${page}.html`), html);
  }
  const shellHead = [
    ...everyPageFonts.map((font) => fontLink(manifest, font)),
    ...styleLinks(manifest, shellSources),
    ...scriptLinks(manifest, shellSources),
  ].join('');
  await writeFile(path.join(outDir, 'index.html'), replaced(template, [['</head>', `${shellHead}</head>`]]));
  // It lists the sources of every chunk, which are nobody's business but the build's.
  await rm(path.join(outDir, '.vite'), { recursive: true });
}

function replaced(text: string, pairs: [from: string, to: string][]): string {
  return pairs.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`The page template lacks ${from}`);
    // A function, since the text put in may hold `$`.
    return result.replace(from, () => to);
  }, text);
}

function fontLink(manifest: Manifest, source: string): string {
  const { file } = chunkOf(manifest, source);
  return `<link rel="preload" href="/${file}" as="font" type="font/woff2" crossorigin>`;
}

/** The style sheets of some sources, less those that the template names already. */
function styleLinks(manifest: Manifest, sources: string[]): string[] {
  return added(manifest, sources)
    .flatMap(({ css = [] }) => css)
    .map((file) => `<link rel="stylesheet" href="/${file}">`);
}

/** The scripts of some sources and of all they import, less those that the template names already. */
function scriptLinks(manifest: Manifest, sources: string[]): string[] {
  return added(manifest, sources).map(
    ({ file }) => `<link rel="modulepreload" nonce="${nonceMark}" href="/${file}" crossorigin>`,
  );
}

function added(manifest: Manifest, sources: string[]): ManifestChunk[] {
  const known = withImports(manifest, 'index.html');
  const wanted = new Set(sources.flatMap((source) => [...withImports(manifest, source)]));
  return [...wanted].filter((key) => !known.has(key)).map((key) => chunkOf(manifest, key));
}

function withImports(manifest: Manifest, key: string, seen = new Set<string>()): Set<string> {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const imported of chunkOf(manifest, key).imports ?? []) withImports(manifest, imported, seen);
  return seen;
}

function chunkOf(manifest: Manifest, key: string): ManifestChunk {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`The build has no ${key}`);
  return chunk;
}
