import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readSources, repository, roots } from './sources.ts';

const configuration = join(repository, '.dependency-cruiser.json');
const program = join(repository, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const outputLimitBytes = 64 * 1024 * 1024;

const reportSchema = z.object({
  modules: z.array(z.object({ source: z.string() })),
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

function scan(directory: string): Promise<z.infer<typeof reportSchema>> {
  const args = [program, '--config', configuration, '--output-type', 'json', ...roots];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: directory, maxBuffer: outputLimitBytes }, (error, stdout, stderr) => {
      if (error && stdout === '') return reject(new Error(stderr, { cause: error }));
      resolve(reportSchema.parse(JSON.parse(stdout)));
    });
  });
}

test('no file breaks an import rule, and the scanner has seen every file there is', async () => {
  const { modules, summary } = await scan(repository);
  const broken = summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`);
  expect(broken).toEqual([]);

  // A scanner without a parser for TypeScript sees nothing, and reports success.
  const seen = modules
    .map(({ source }) => source)
    .filter((source) => roots.some((root) => source.startsWith(`${root}/`)));
  const onDisk = readSources().map(({ path }) => path);
  expect(seen.filter((source) => /\.tsx?$/.test(source)).toSorted()).toEqual(onDisk.toSorted());
  expect(onDisk.length).toBeGreaterThan(100);
});

/** A tiny tree that breaks each rule at least once: the file, and what it imports. */
const planted: Record<string, string[]> = {
  'shared/contract/a.ts': ['node:fs', '#server/platform/db/a.ts'],
  'shared/circle-a.ts': ['./circle-b.ts'],
  'shared/circle-b.ts': ['./circle-a.ts'],
  'shared/lost.ts': ['./nowhere.ts'],
  'server/platform/db/a.ts': ['#server/features/messages/messages.service.ts', 'development-only'],
  'server/schema/a.tables.ts': ['#server/features/messages/messages.service.ts'],
  'server/http/a.ts': ['#server/features/messages/messages.service.ts'],
  'server/http-app.ts': ['#web/lib/a.ts', '#tests/support/a.ts'],
  'server/app.ts': ['#server/features/messages/messages.service.ts'],
  'server/features/messages/messages.ts': ['#server/features/documents/documents.repository.ts', '#server/http/b.ts'],
  'server/features/audit/audit.service.ts': ['#server/features/notifications/notifications.service.ts'],
  'server/features/notifications/notifications.service.ts': ['#server/features/accounts/accounts.service.ts'],
  'server/features/accounts/accounts.service.ts': ['#server/features/sessions/sessions.service.ts'],
  'server/features/sessions/sessions.service.ts': ['#server/features/registration/registration.service.ts'],
  'server/features/registration/registration.service.ts': [
    '#server/features/messages/messages.service.ts',
    '#server/features/messages/messages.repository.ts',
  ],
  'server/features/messages/messages.service.ts': [
    '#server/features/delivery/delivery.service.ts',
    '#server/features/documents/documents.repository.ts',
    '#server/http/b.ts',
  ],
  'server/features/delivery/delivery.service.ts': ['#server/features/release/release.service.ts'],
  'server/features/release/release.service.ts': [
    '#server/features/admin/admin.service.ts',
    '#server/features/messages/messages.repository.ts',
  ],
  'server/features/redelivery/new-address.service.ts': ['#server/features/messages/messages.repository.ts'],
  'server/features/admin/admin.service.ts': [],
  'server/features/messages/messages.rules.ts': ['node:crypto', '#server/features/release/release.rules.ts'],
  'server/features/release/release.rules.ts': [],
  'server/features/messages/messages.repository.ts': [
    '#server/http/b.ts',
    '#server/features/documents/documents.repository.ts',
  ],
  'server/features/documents/documents.repository.ts': [],
  'server/features/messages/messages.routes.ts': ['./messages.repository.ts', 'pg'],
  'server/http/b.ts': [],
  'web/lib/a.ts': ['#web/pages/a.tsx', '#server/http/b.ts'],
  'web/components/a.tsx': ['#web/features/messages/a.tsx'],
  'web/features/messages/a.tsx': ['#web/features/contacts/a.tsx'],
  'web/features/contacts/a.tsx': ['#web/pages/a.tsx'],
  'web/pages/a.tsx': [],
  'tests/support/a.ts': [],
  'build/a.ts': [],
};

const manifest = {
  name: 'planted',
  type: 'module',
  imports: JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).imports,
  dependencies: { pg: '1.0.0' },
  devDependencies: { 'development-only': '1.0.0' },
};

test('each rule catches a violation that is planted for it, also one of types alone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'everkept-imports-'));
  try {
    write(directory, 'package.json', JSON.stringify(manifest));
    for (const name of ['pg', 'development-only']) {
      write(
        directory,
        `node_modules/${name}/package.json`,
        JSON.stringify({ name, version: '1.0.0', main: 'index.js' }),
      );
      write(directory, `node_modules/${name}/index.js`, 'module.exports = {};');
    }
    for (const [path, imports] of Object.entries(planted)) {
      const lines = imports.map((target, index) => `import type { T${index} } from '${target}';`);
      write(directory, path, `${lines.join('\n')}\nexport type Of = unknown;\n`);
    }

    const { summary } = await scan(directory);
    const caught = new Set(summary.violations.map(({ rule }) => rule.name));
    const rules = z
      .object({ forbidden: z.array(z.object({ name: z.string() })) })
      .parse(JSON.parse(readFileSync(configuration, 'utf8')));
    expect(rules.forbidden.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function write(directory: string, path: string, text: string): void {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
