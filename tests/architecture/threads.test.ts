import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { readSources, type Source } from './sources.ts';

/** Libraries that parse or set what people give us must not run on the event loop: only threads of the pool load them. */

const isTest = /\.(test|test-world|fixture|test-server)\.tsx?$/;
const server = readSources().filter(({ path }) => path.startsWith('server/') && !isTest.test(path));

const parsers =
  /^import (?!type)[^;]*from '(pdfkit|postal-mime|image-size|file-type)(\/[^']*)?'|\bimport\('(pdfkit|postal-mime|image-size|file-type)'\)/m;

/** Files that a source loads when it runs. */
function loadedBy({ path, text }: Source): string[] {
  const imports =
    /^(?:import|export) (?!type\b)[^;]*?from '(#server\/[^']+|\.\.?\/[^']+)'|\bimport\('(#server\/[^']+|\.\.?\/[^']+)'\)/gm;
  return [...text.matchAll(imports)].map(([, still, dynamic]) => {
    const one = still ?? dynamic ?? '';
    return one.startsWith('#') ? one.slice(1) : normalize(join(dirname(path), one));
  });
}

/** Files that load one of these libraries, by themselves or through others, up to the files that a thread begins with. */
function reaching(sources: readonly Source[]): Set<string> {
  const found = new Set(sources.filter(({ text }) => parsers.test(text)).map(({ path }) => path));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const source of sources)
      if (loadedBy(source).some((path) => found.has(path) && !path.endsWith('.thread.ts'))) found.add(source.path);
  }
  return found;
}

test('the libraries that parse or set are loaded by threads alone', () => {
  expect([...reaching(server)].toSorted()).toEqual([
    'server/features/billing/receipt.thread.ts',
    'server/platform/files/head.thread.ts',
    'server/platform/files/picture-size.ts',
    'server/platform/mail/delivery-report.thread.ts',
    'server/platform/mail/delivery-report.ts',
    'server/platform/pdf/book.thread.ts',
    'server/platform/pdf/book.ts',
  ]);
  const threads = server.map(({ path }) => path).filter((path) => path.endsWith('.thread.ts'));
  expect(server.filter((source) => loadedBy(source).some((path) => threads.includes(path)))).toEqual([]);
});

test('a service that loads such a library through another file is found', () => {
  const planted = [
    { path: 'server/platform/pdf/book.ts', text: "import PDFDocument from 'pdfkit';\n" },
    { path: 'server/features/a/a.service.ts', text: "import { openBook } from '#server/platform/pdf/book.ts';\n" },
  ];
  expect(reaching(planted).has('server/features/a/a.service.ts')).toBe(true);
});

test('threads are started by the pool alone, and one by the watchdog, which reads nothing', () => {
  const starting = server.filter(({ text }) => /\bnew Worker\(/.test(text)).map(({ path }) => path);
  expect(starting.toSorted()).toEqual(['server/platform/running-work/watchdog.ts', 'server/platform/threads/pool.ts']);
});
