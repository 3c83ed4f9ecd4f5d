import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { ensureWebBuild } from '#build/build.ts';
import { brotliQuality as pageQuality } from '#server/http/pages/send-page.ts';
import type { Figure } from './figure.ts';

const goalKb = 90;
/** Script of the first view of a vault page. */
const vaultGoalKb = 150;
const vaultParts = ['dashboard', 'messages', 'documents', 'contacts'];

/** Scripts that hydrate a ready landing page: `web/main.ts`, then `web/start.tsx`. */
const liveParts = ['start', 'landing'];

/**
 * Size of the landing page: markup, drawings, scripts and styles, as sent to a browser (Brotli, as all accept over
 * https), without fonts. The page is read with a small script only; the rest loads at first use, and counts too.
 */
export async function sizeFigures(): Promise<Figure[]> {
  const distDir = await ensureWebBuild({ log: () => {} });
  const html = await readFile(join(distDir, 'landing.html'));
  const named = matches(html.toString(), /(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g);
  const first = await closure(distDir, named);
  const drawn = [...new Set(matches(html.toString(), /href="\/(assets\/[^"#]+\.svg)#/g))];
  const live = await closure(distDir, [...first, ...(await namedLater(distDir, first))]);

  const markup = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: pageQuality } }).length;
  const atFirst = await sizesOf(distDir, first);
  const altogether = await sizesOf(distDir, live);
  const drawings = await sentSize(distDir, drawn);
  const totalKb = (markup + drawings + altogether.script + altogether.style) / 1000;
  return [
    {
      what: 'landing page: markup + drawings + script + style, Brotli, until it answers',
      figure: `${totalKb.toFixed(1)} kB`,
      goal: `≤ ${goalKb} kB`,
      met: totalKb <= goalKb,
    },
    {
      what: '  first load: markup, drawings, script, style',
      figure: kilobytes(markup, drawings, atFirst.script, atFirst.style),
    },
    {
      what: '  after the first interest: script, style',
      figure: kilobytes(altogether.script - atFirst.script, altogether.style - atFirst.style),
    },
    ...(await Promise.all(vaultParts.map((part) => vaultFigure(distDir, part)))),
  ];
}

/** Scripts that a page of the vault loads before it is shown. */
async function vaultFigure(distDir: string, part: string): Promise<Figure> {
  const named = new RegExp(`^(begin|start|app|${part})-[\\w-]{8}\\.js$`);
  const files = (await readdir(join(distDir, 'assets'))).filter((file) => named.test(file));
  const { script } = await sizesOf(distDir, await closure(distDir, new Set(files.map((file) => `assets/${file}`))));
  return {
    what: `${part}: script of the first view, Brotli`,
    figure: kilobytes(script),
    goal: `≤ ${vaultGoalKb} kB`,
    met: script / 1000 <= vaultGoalKb,
  };
}

/** These files and every script that they import when they are loaded. */
async function closure(distDir: string, files: Iterable<string>): Promise<Set<string>> {
  const found = new Set<string>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    if (!file.endsWith('.js')) continue;
    const source = await readFile(join(distDir, file), 'utf8');
    waiting.push(...matches(source, /(?:from|import)"\.\/([^"]+\.js)"/g).map((name) => `assets/${name}`));
  }
  return found;
}

/** Further files of the hydrating scripts, styles included; the bundler lists them at their head. */
async function namedLater(distDir: string, first: Set<string>): Promise<string[]> {
  const found: string[] = [];
  let known: Iterable<string> = first;
  for (const part of liveParts) {
    const own = new RegExp(`^assets/${part}-[^/]+\\.js$`);
    const lists = await Promise.all([...known].filter(isScript).map((file) => laterFiles(distDir, file, own)));
    const list = lists.flat();
    if (list.length === 0) throw new Error(`No script of the landing page asks for ${part}.`);
    found.push(...list);
    known = list;
  }
  return found;
}

/** The list that belongs to the import of one part, empty where `file` does not import it. */
async function laterFiles(distDir: string, file: string, part: RegExp): Promise<string[]> {
  const source = await readFile(join(distDir, file), 'utf8');
  const list = matches(/m\.f=\[([^\]]*)\]/.exec(source)?.[1] ?? '', /"([^"]+)"/g);
  const imports = [...source.matchAll(/import\(`\.\/([^`]+)`\)[^[]*\[([\d,]*)\]/g)];
  const own = imports.find(([, name]) => part.test(`assets/${name}`));
  if (!own) return [];
  return (own[2] ?? '').split(',').flatMap((index) => list[Number(index)] ?? []);
}

async function sizesOf(distDir: string, files: Iterable<string>): Promise<{ script: number; style: number }> {
  const all = [...files];
  const script = await sentSize(distDir, all.filter(isScript));
  const style = await sentSize(
    distDir,
    all.filter((file) => !isScript(file)),
  );
  return { script, style };
}

/** Compressed beforehand, but for those so small that it would be of no use. */
async function sentSize(distDir: string, files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    files.map(async (file) => {
      const path = join(distDir, file);
      return (await stat(`${path}.br`).catch(() => stat(path))).size;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function isScript(file: string): boolean {
  return file.endsWith('.js');
}

/** The first group of every match. */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group]) => group ?? '');
}

function kilobytes(...sizes: number[]): string {
  return sizes.map((size) => `${(size / 1000).toFixed(1)} kB`).join(', ');
}
