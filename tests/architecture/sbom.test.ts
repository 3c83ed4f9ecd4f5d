import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repository } from './sources.ts';

type Parts = { specVersion: string; components: { name: string; version: string; hashes?: { alg: string }[] }[] };

test('the list of parts names every package of production with its check sum, and none that is for development', async () => {
  // On Windows npm is no program by itself.
  const options = { cwd: repository, maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' };
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], options);
  const { specVersion, components } = JSON.parse(stdout) as Parts;
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(join(repository, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
  expect(specVersion).toMatch(/^1\.\d$/);
  const named = new Set(components.map(({ name, version }) => `${name}@${version}`));
  expect(Object.entries(dependencies).filter(([name, version]) => !named.has(`${name}@${version}`))).toEqual([]);
  const forTests = ['vitest', '@playwright/test', 'knip', '@biomejs/biome', 'drizzle-kit', 'smtp-server'];
  expect(forTests.filter((name) => devDependencies[name] === undefined)).toEqual([]);
  expect(components.filter(({ name }) => forTests.includes(name))).toEqual([]);
  expect(components.filter(({ hashes }) => !hashes?.some(({ alg }) => alg === 'SHA-512'))).toEqual([]);
});
