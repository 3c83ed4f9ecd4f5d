import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';
import { productName } from '#shared/product.ts';

/** A package that goes to the browser, with all that its licence asks us to pass on. */
export type Licensed = { name: string; version: string; licence: string; texts: string[]; source: string | null };

const textName = /^(licen[cs]e|copying|notice)/i;
const packageFolder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const nonceMark = '__NONCE__';

/** Collects the folders of all packages of which something is in a bundle. */
export function noteFolders(folders: Set<string>): Plugin {
  return {
    name: 'everkept-licences',
    apply: 'build',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        for (const id of file.moduleIds) {
          const folder = packageFolder.exec(id.replaceAll('\\', '/').replace(/^\0/, ''))?.[1];
          if (folder) folders.add(folder);
        }
      }
    },
  };
}

/** Texts that a package leaves out of what it publishes, by its name, such as the Unlicense of wouter. */
const kept = new URL('licences/', import.meta.url);
const keptNames = ['wouter'];

/** @throws if the package has no licence text: its licence asks us to pass one on. */
export async function licensedPackage(folder: string): Promise<Licensed> {
  const { name, version, license, homepage, repository } = JSON.parse(
    await readFile(path.join(folder, 'package.json'), 'utf8'),
  );
  const files = (await readdir(folder)).filter((file) => textName.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  if (texts.length === 0 && keptNames.includes(name)) texts.push(await readFile(new URL(`${name}.txt`, kept), 'utf8'));
  if (typeof license !== 'string' || texts.length === 0) {
    throw new Error(
      `The package ${name} goes to the browser and has no licence text. Use another package, or add its text.`,
    );
  }
  const address = typeof repository === 'string' ? repository : (repository?.url ?? homepage ?? null);
  return { name, version, licence: license, texts, source: webAddress(address) };
}

/** Address of a repository as a browser opens it; null if it names none. */
function webAddress(address: string | null): string | null {
  if (address === null) return null;
  if (/^[\w.-]+\/[\w.-]+$/.test(address)) return `https://github.com/${address}`;
  const plain = address
    .replace(/^git\+/, '')
    .replace(/^git:/, 'https:')
    .replace(/\.git$/, '');
  return plain.startsWith('https://') ? plain : null;
}

const fonts = [
  { name: 'Newsreader', file: 'newsreader-OFL.txt' },
  { name: 'Source Sans 3', file: 'source-sans-3-OFL.txt' },
];

/** Versions that heic-to names in the first line of the library that it contains. */
const heifLine = /^\/\/ Build from libheif ([\d.]+).*LIBDE265_VERSION=([\d.]+)/;

/** Additions that the LGPL requires: the library's name, its source, and the text of the GPL. */
async function decoderPart(root: string, decoder: Licensed): Promise<string> {
  const library = path.join(root, 'node_modules/heic-to/src/lib/libheif-without-unsafe-eval.js');
  const [, heif, de265] = heifLine.exec(await readFile(library, 'utf8')) ?? [];
  if (!heif || !de265) throw new Error('heic-to no longer names the version of libheif. Look where it says so now.');
  const gpl = await readFile(path.join(root, 'build/licences/GPL-3.0.txt'), 'utf8');
  return `<section class="stack"><h2 class="h-card" id="heic">The decoder of HEIC pictures</h2>
<p>Pictures of some phones are decoded by <b>heic-to ${escaped(decoder.version)}</b>. It contains <b>libheif ${heif}</b> and <b>libde265 ${de265}</b>.
All three are free software under the GNU Lesser General Public License, version 3 (${escaped(decoder.licence)}). We have changed none of them.</p>
<p>The decoder is a file of its own, and only a page that opens such a picture loads it. You may change it, and use your own in its place.</p>
<ul><li>${link(`https://github.com/hoppergee/heic-to/tree/v${decoder.version}`, `Source of heic-to ${decoder.version}`)}, with how it is built</li>
<li>${link(`https://github.com/strukturag/libheif/releases/tag/v${heif}`, `Source of libheif ${heif}`)}</li>
<li>${link(`https://github.com/strukturag/libde265/releases/tag/v${de265}`, `Source of libde265 ${de265}`)}</li></ul>
${decoder.texts.map((text) => folded('GNU Lesser General Public License, version 3', text)).join('')}
${folded('GNU General Public License, version 3, to which it refers', gpl)}</section>`;
}

/** Body of the page: every package in these folders, and the typefaces. */
export async function licencesMarkup(root: string, folders: Iterable<string>): Promise<string> {
  const packages = await Promise.all([...folders].map(licensedPackage));
  packages.sort((one, other) => one.name.localeCompare(other.name, 'en') || one.version.localeCompare(other.version));
  const decoder = packages.find(({ name }) => name === 'heic-to');
  const typefaces = await Promise.all(
    fonts.map(async ({ name, file }) =>
      folded(name, await readFile(path.join(root, 'web/fonts', file), 'utf8'), 'OFL-1.1'),
    ),
  );
  const others = packages.filter((each) => each !== decoder);
  return `<a class="skip" href="#main">Skip to content</a>
<header class="head"><div class="wrap head-in"><a class="brand" href="/">${productName}</a></div></header>
<main id="main" class="main narrow stack licences" tabindex="-1">
<h1>Licences</h1>
<p class="lead">${productName} contains the work of others. This page lists everything that your browser loads from us, with its licence.</p>
${decoder ? await decoderPart(root, decoder) : ''}
<section class="stack"><h2 class="h-card" id="typefaces">Typefaces</h2>${typefaces.join('')}</section>
<section class="stack"><h2 class="h-card" id="packages">Packages</h2>
${others.map((each) => folded(`${each.name} ${each.version}`, each.texts.join('\n\n'), each.licence, each.source)).join('\n')}
</section></main>`;
}

function folded(title: string, text: string, licence = '', source: string | null = null): string {
  const where = source ? `<p>${link(source, source)}</p>` : '';
  const kind = licence ? ` <span class="quiet">${escaped(licence)}</span>` : '';
  return `<details><summary>${escaped(title)}${kind}</summary>${where}<pre>${escaped(text.trim())}</pre></details>`;
}

function link(address: string, words: string): string {
  return `<a href="${escaped(address)}" rel="noreferrer">${escaped(words)}</a>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Only this page has such long texts, so no other page loads these rules. */
const rules = `.licences pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8125rem;line-height:1.5;margin:0 0 1rem}
.licences summary{min-height:2.75rem;padding:.5rem 0;cursor:pointer;overflow-wrap:anywhere}
.licences a{overflow-wrap:anywhere}`;

/** The page as it is sent: without scripts, except the one line that chooses the theme. */
export function licencesHtml({ template, head, markup }: { template: string; head: string; markup: string }): string {
  return template
    .replace(/<script type="module"[^>]*><\/script>/g, '')
    .replace(/<link rel="modulepreload"[^>]*>/g, '')
    .replace('<title>Everkept</title>', () => `<title>Licences - ${productName}</title>`)
    .replace('</head>', () => `${head}<style nonce="${nonceMark}">${rules}</style></head>`)
    .replace('<div id="root"></div>', () => `<div id="root">${markup}</div>`);
}
