import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repository } from './sources.ts';

type Parts = {
  specVersion: string;
  components: { name: string; version: string; hashes?: { alg: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};
type Lock = { packages: Record<string, { version: string; dev?: boolean }> };

test('the list of parts names every package of production with its check sum, and none that is for development', async () => {
  // As the operator calls it. On Windows npm is no program by itself.
  const options = { cwd: repository, maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' };
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], options);
  const { specVersion, components, dependencies } = JSON.parse(stdout) as Parts;
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as Lock;
  const locked = Object.entries(lock.packages).flatMap(([path, { version, dev }]) =>
    path === '' || dev ? [] : [`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`],
  );
  expect(specVersion).toMatch(/^1\.\d$/);
  expect(locked.length).toBeGreaterThan(200);
  const named = components.map(({ name, version }) => `${name}@${version}`);
  expect([...new Set(named)].sort()).toEqual([...new Set(locked)].sort());
  expect(components.filter(({ hashes }) => !hashes?.some(({ alg }) => alg === 'SHA-512'))).toEqual([]);
  // No remaining part refers to a removed one.
  const known = new Set(dependencies.map(({ ref }) => ref));
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn.filter((ref) => !known.has(ref)))).toEqual([]);
});
