import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restoreSymlinks } from './binaries.ts';
import { takeLock } from './lock.ts';
import { embeddedPaths } from './paths.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'everkept-ground-'));
});
afterAll(() => rm(scratch, { recursive: true }));

describe('the lock', () => {
  test('belongs to one holder at a time, and to the next when it is released', () => {
    const path = join(scratch, 'lock');
    const first = takeLock(path);
    expect(first).toBeDefined();
    expect(takeLock(path)).toBe(undefined);
    first?.release();

    const second = takeLock(path);
    expect(second).toBeDefined();
    second?.release();
  });

  test('stays with a process that has inherited it, until that one is killed', async () => {
    const path = join(scratch, 'inherited');
    const lock = takeLock(path);
    const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', lock?.fd ?? 'ignore'] });
    await once(child, 'spawn');
    lock?.release();
    expect(takeLock(path)).toBe(undefined);

    child.kill('SIGKILL');
    await once(child, 'exit');
    const next = takeLock(path);
    expect(next).toBeDefined();
    next?.release();
  });
});

describe('the links of the libraries', () => {
  test('are made where they are missing, beside each other, by several processes at once', async () => {
    const lib = join(scratch, 'package/native/lib');
    await mkdir(lib, { recursive: true });
    await writeFile(join(lib, 'libpq.so.5.18'), 'library');
    await symlink('libpq.so.5.18', join(lib, 'libpq.so'));
    const links = ['libpq.so', 'libpq.so.5'].map((name) => ({
      source: 'native/lib/libpq.so.5.18',
      target: `native/lib/${name}`,
    }));
    await writeFile(join(scratch, 'package/native/pg-symlinks.json'), JSON.stringify(links));

    await Promise.all([1, 2, 3].map(() => restoreSymlinks(join(scratch, 'package'))));
    expect((await lstat(join(lib, 'libpq.so.5'))).isSymbolicLink()).toBe(true);
    expect(await readlink(join(lib, 'libpq.so.5'))).toBe('libpq.so.5.18');
  });

  test('are not needed where the package has none', async () => {
    await mkdir(join(scratch, 'plain'));
    await expect(restoreSymlinks(join(scratch, 'plain'))).resolves.toBe(undefined);
  });
});

describe('the path of the socket', () => {
  const fits = (directory: string) => Buffer.byteLength(`${directory}/.s.PGSQL.5432.lock`) <= 100;

  test('lies with the data where it fits', () => {
    expect(embeddedPaths('/srv/everkept').socketDirectory).toBe('/srv/everkept/postgres/socket');
  });

  test('is short, and another one for each long directory', () => {
    const one = embeddedPaths(`/srv/${'é'.repeat(60)}/one`).socketDirectory;
    const two = embeddedPaths(`/srv/${'é'.repeat(60)}/two`).socketDirectory;
    expect([fits(one), fits(two)]).toEqual([true, true]);
    expect(one).not.toBe(two);
  });

  test('stays short when the temporary directory is long itself', () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = `/tmp/${'long'.repeat(30)}`;
    try {
      expect(embeddedPaths(`/srv/${'x'.repeat(100)}`).socketDirectory).toMatch(/^\/tmp\/everkept-[0-9a-f]{16}$/);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});
