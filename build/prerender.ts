import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Manifest, ManifestChunk } from 'vite';
import { productName } from '#shared/product.ts';
import { entrySources, linkedSources } from '#web/linked-paths.ts';
import type { PrerenderedPage } from '#web/prerender.tsx';
import { previewedPages } from '#web/previewed-pages.ts';
import { type VaultPage, vaultPages } from '#web/vault-pages.ts';
import { bundleDrawing } from './bundle.ts';
import { licencesHtml, licencesMarkup } from './licences.ts';

type Prerender = {
  pagePaths: string[];
  prerenderPages: () => Promise<PrerenderedPage[]>;
  prerenderFrame: (path: string) => Promise<string>;
};
type Folders = { root: string; outDir: string };

const nonceMark = '__NONCE__';
const emptyRoot = '<div id="root"></div>';
const everyPageFonts = ['fonts/newsreader-roman.woff2', 'fonts/source-sans-3.woff2'];
const italicFont = 'fonts/newsreader-italic.woff2';
/** Fonts that only some pages show as soon as they open. */
const moreFonts: Record<string, string[]> = {
  landing: [italicFont],
  unknown: [italicFont],
};

/** Scripts that a shell loads after its small start. They are named in its head, so that they load in parallel. */
const shellSources = { application: ['start.tsx', 'app.tsx'], linked: ['start.tsx', 'linked-pages.tsx'] };

/** And what a page of the vault is shown with. */
const vaultSources = ['vault-start.ts', 'take-place.ts'];

/** Tells the server which file stands at which address. */
const pagesFile = 'pages.json';
/** Tells the server the same of pages behind links, whose addresses have a part that is a key. */
const linkedFile = 'linked.json';
/** File with the pages of the vault, for the signed-in person. */
const vaultFile = 'vault.json';
/** And of pages of the application with plain forms. */
const entryFile = 'entries.json';
/** Paths of all pages. The server answers any other path with 404. */
const pathsFile = 'paths.json';
/** The licences of what goes to the browser, and a page whose styles it has. */
const licencesPath = '/licences';
const licencesFile = 'licences.html';
const licencesStyles = 'pages/public/privacy-policy.tsx';
const emptyTitle = '<title>Everkept</title>';
/** Directory of the page-drawing code, beside the files for browsers. */
const drawingDir = 'drawing';

/**
 * Turns the bundled `index.html` into the served files: the shells, and one file per page that is ready to read. Such
 * a page has only the small script that waits for its first use.
 */
export async function writePages({ root, outDir, packages }: Folders & { packages: Set<string> }): Promise<void> {
  const template = await readFile(path.join(outDir, 'index.html'), 'utf8');
  const manifest: Manifest = JSON.parse(await readFile(path.join(outDir, '.vite/manifest.json'), 'utf8'));
  await bundleDrawing({ root, outDir: path.join(outDir, drawingDir) });
  const entry = path.join(outDir, drawingDir, 'prerender.js');
  const { pagePaths, prerenderPages, prerenderFrame }: Prerender = await import(pathToFileURL(entry).href);
  const pages = await prerenderPages();
  for (const page of pages) {
    await writeFile(path.join(outDir, `${page.name}.html`), readyHtml({ page, template, manifest }));
  }
  const licences = { template, manifest, markup: await licencesMarkup(root, packages) };
  await writeFile(path.join(outDir, licencesFile), licencesPage(licences));
  const filesByPath = pages.flatMap(({ name, paths }) => paths.map((address) => [address, `${name}.html`]));
  filesByPath.push([licencesPath, licencesFile]);

  const shell = {
    template,
    manifest,
    fonts: everyPageFonts,
    sources: shellSources.application,
    areScriptsLater: false,
  };
  const bare = replaced(shellHtml(shell), [[emptyRoot, `${withoutScripts}${emptyRoot}`]]);
  await writeFile(path.join(outDir, 'index.html'), bare);
  const writeDrawn = async (
    name: string,
    all: Record<string, string>,
    { fonts, sources, areScriptsLater }: Pick<Shell, 'fonts' | 'sources' | 'areScriptsLater'>,
  ) => {
    const drawn = Object.entries(all).map(([address, source], index) => ({
      address,
      source,
      file: `${name}-${index}.html`,
    }));
    for (const { address, file, source } of drawn) {
      const html = shellHtml({ template, manifest, fonts, sources: [...sources, source], areScriptsLater });
      await writeFile(path.join(outDir, file), hasPreview(address) ? previewed(html, address) : html);
    }
    return JSON.stringify(Object.fromEntries(drawn.map(({ address, file }) => [address, file])));
  };
  const linked = await writeDrawn('linked', linkedSources, {
    fonts: [...everyPageFonts, italicFont],
    sources: shellSources.linked,
    areScriptsLater: true,
  });
  await writeFile(path.join(outDir, linkedFile), linked);
  const entries = await writeDrawn('entry', entrySources, {
    fonts: everyPageFonts,
    sources: shellSources.application,
    areScriptsLater: false,
  });
  await writeFile(path.join(outDir, entryFile), entries);
  filesByPath.push(...(await writePublicShells(outDir, bare, new Set(filesByPath.map(([address]) => address)))));
  await writeFile(path.join(outDir, pagesFile), JSON.stringify(Object.fromEntries(filesByPath)));
  const vault = Object.entries(vaultPages).map(([address, page], index) => ({
    address,
    page,
    file: `vault-${index}.html`,
  }));
  for (const { address, page, file } of vault) {
    const markup = await prerenderFrame(address);
    await writeFile(path.join(outDir, file), vaultHtml({ page, shell: bare, markup, manifest }));
  }
  // One page for visitors and for signed-in people.
  const files = [...vault.map(({ address, file }) => [address, file]), [licencesPath, licencesFile]];
  await writeFile(path.join(outDir, vaultFile), JSON.stringify(Object.fromEntries(files)));
  await writeFile(path.join(outDir, pathsFile), JSON.stringify([...pagePaths, licencesPath]));
  // Lists the sources of every chunk, which only the build needs.
  await rm(path.join(outDir, '.vite'), { recursive: true });
}

/** Writes the shell of the application once for each public page that it draws, with that page's own title and preview. */
async function writePublicShells(outDir: string, shell: string, written: ReadonlySet<string | undefined>) {
  const pages = previewedPages.filter(({ paths: [address] }) => !written.has(address) && !(address in entrySources));
  const files = pages.map(async ({ paths, title }, index) => {
    const file = `public-${index}.html`;
    const titled = replaced(shell, [[emptyTitle, `<title>${title} – ${productName}</title>`]]);
    await writeFile(path.join(outDir, file), previewed(titled, paths[0]));
    return paths.map((address) => [address, file]);
  });
  return (await Promise.all(files)).flat();
}

/** Shown by a browser that runs no scripts, where the application would be. Signing in without them leads here. */
const withoutScripts = `<noscript><div class="main narrow stack"><h1>Your vault needs scripts</h1>
<p>This browser runs none. If you have just signed in, we have heard from you. If you have just opened the link that verifies your address,
it is verified. If we wrote to you that letters are about to leave, or have left,
press the button in that mail too: its page works here.</p>
<p>To read and write, allow scripts for this site, or open it in another browser. <a href="/login">Sign in</a></p></div></noscript>`;

type Shell = {
  template: string;
  manifest: Manifest;
  fonts: string[];
  sources: string[];
  /** Its scripts are only named; `main.ts` loads them at the first use of the page. */
  areScriptsLater: boolean;
};

function shellHtml({ template, manifest, fonts, sources, areScriptsLater }: Shell): string {
  const scripts = scriptLinks(manifest, sources).join('');
  const head = [
    ...fonts.map((font) => fontLink(manifest, font)),
    ...styleLinks(manifest, sources),
    areScriptsLater ? `<template id="scripts">${scripts}</template>` : scripts,
  ].join('');
  return replaced(template, [['</head>', `${head}</head>`]]);
}

type Licences = { template: string; manifest: Manifest; markup: string };

function licencesPage({ template, manifest, markup }: Licences): string {
  const fonts = everyPageFonts.map((font) => fontLink(manifest, font));
  const head = [...fonts, ...styleLinks(manifest, [licencesStyles])].join('');
  return previewed(licencesHtml({ template, head, markup }), licencesPath);
}

type Ready = { page: PrerenderedPage; template: string; manifest: Manifest };

/**
 * The file of a page that is sent ready to read.
 *
 * @throws where the markup has a style attribute, which the policy of the site forbids.
 */
export function readyHtml({ page, template, manifest }: Ready): string {
  const { name, source, title, markup } = page;
  if (markup.includes(' style=')) throw new Error(`The page ${name} has a style attribute, which the policy forbids.`);
  const fonts = [...everyPageFonts, ...(moreFonts[name] ?? [])];
  const head = [...fonts.map((font) => fontLink(manifest, font)), ...styleLinks(manifest, [source])].join('');
  const html = replaced(template, [
    [emptyRoot, `<div id="root" data-page="${name}">${markup}</div>`],
    [emptyTitle, `<title>${title}</title>`],
    ['</head>', `${head}</head>`],
  ]);
  const [address] = page.paths;
  return address === undefined ? html : previewed(html, address);
}

function hasPreview(address: string): boolean {
  return previewedPages.some(({ paths }) => paths[0] === address);
}

/** Describes a public page to search engines and link previews. @throws if the page has no preview. */
function previewed(html: string, address: string): string {
  const page = previewedPages.find(({ paths }) => paths[0] === address);
  if (!page) throw new Error(`The page at ${address} has no title and picture for link previews.`);
  const contents = {
    'name="description"': page.description,
    'property="og:title"': page.title,
    'property="og:description"': page.description,
    'property="og:image"': `__ORIGIN__/pictures/${page.picture}`,
  };
  return Object.entries(contents).reduce((result, [element, content]) => {
    const [before = element] = new RegExp(`${element} content="[^"]*"`).exec(result) ?? [];
    return replaced(result, [[before, `${element} content="${content}"`]]);
  }, html);
}

type Vault = { page: VaultPage; shell: string; markup: string; manifest: Manifest };

/**
 * Application shell for one page of the vault. Its head names scripts and reads, so that they load in parallel, and a
 * placeholder fills the page until then.
 */
function vaultHtml({ page: { source, reads, hasItalic }, shell, markup, manifest }: Vault): string {
  const known = [...shellSources.application, 'index.html'];
  const sources = [...vaultSources, source];
  const head = [
    hasItalic ? fontLink(manifest, italicFont) : '',
    `<meta name="reads" content="${reads.map((route) => route.path).join(' ')}">`,
    ...styleLinks(manifest, sources, known),
    ...scriptLinks(manifest, sources, known),
  ].join('');
  return replaced(shell, [
    [emptyRoot, `<div id="root" class="needs-scripts">${markup}</div>`],
    ['</head>', `${head}</head>`],
  ]);
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

/** The style sheets of some sources, less those that are named already. */
function styleLinks(manifest: Manifest, sources: string[], known?: string[]): string[] {
  return added(manifest, sources, known)
    .flatMap(({ css = [] }) => css)
    .map((file) => `<link rel="stylesheet" href="/${file}">`);
}

/** The scripts of some sources and of all they import, less those that are named already. */
function scriptLinks(manifest: Manifest, sources: string[], known?: string[]): string[] {
  return added(manifest, sources, known).map(
    // Behind styles and typefaces, which the first picture needs.
    ({ file }) => `<link rel="modulepreload" fetchpriority="low" nonce="${nonceMark}" href="/${file}" crossorigin>`,
  );
}

/** @param named sources that are named already: those of the template, unless it is told. */
function added(manifest: Manifest, sources: string[], named = ['index.html']): ManifestChunk[] {
  const known = new Set(named.flatMap((source) => [...withImports(manifest, source)]));
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
