import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readSources, repository, type Source } from './sources.ts';

// The samples below would be found too.
const sources = readSources().filter(({ path }) => path !== 'tests/architecture/packages.test.ts');

/** The one file of a library that does not say what it exports: the type of the client that ours extends. */
const innerFiles = ['server/platform/sms/twilio-texter.ts: twilio/lib/base/RequestClient.js'];

const manifestSchema = z.object({ exports: z.unknown().optional() });

/** Imports from libraries, by package name or by a file of the package. */
function librariesOf({ text }: Source): string[] {
  const imported = /\b(?:from|import)\s*\(?'((?:@[\w.-]+\/)?[a-z][\w.-]*(?:\/[\w./-]+)?)'/g;
  return [...text.matchAll(imported)].map(([, specifier]) => specifier ?? '');
}

/** True if a library exports the import: its main file, or a path in its `exports`. Null for an unknown library. */
function isExported(specifier: string): boolean | null {
  const [, name = '', inner = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  const manifest = join(repository, 'node_modules', name, 'package.json');
  if (!existsSync(manifest)) return null;
  if (inner === '') return true;
  const { exports } = manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')));
  if (typeof exports !== 'object' || exports === null) return false;
  return Object.keys(exports).some((key) => {
    const [before = '', after] = key.split('*');
    const asked = `./${inner}`;
    return after === undefined ? key === asked : asked.startsWith(before) && asked.endsWith(after);
  });
}

function innerFilesOf(files: readonly Source[]): string[] {
  return files.flatMap((file) =>
    librariesOf(file)
      .filter((specifier) => isExported(specifier) === false)
      .map((specifier) => `${file.path}: ${specifier}`),
  );
}

test('imports from a library use its exports only', () => {
  expect(sources.flatMap(librariesOf).filter((specifier) => isExported(specifier)).length).toBeGreaterThan(500);
  expect(innerFilesOf(sources)).toEqual(innerFiles);
});

test('a library’s inner file would be found, however it is imported', () => {
  const planted = [
    "import { a } from 'p-limit/index.js';",
    "import type { A } from 'drizzle-orm/node-postgres/inner';",
    "import 'zod/src/index.ts';",
    "const { a } = await import('fastify/lib/reply.js');",
    "import { drizzle } from 'drizzle-orm/node-postgres';",
    "import { test } from 'vitest';",
  ];
  const found = innerFilesOf(planted.map((text, index) => ({ path: `${index}.ts`, text })));
  expect(found.map((where) => where[0])).toEqual(['0', '1', '2', '3']);
});
