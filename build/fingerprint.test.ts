import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inputsFingerprint } from './fingerprint.ts';

let root: string;
const write = (file: string, text: string) => writeFile(path.join(root, file), text);

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'everkept-fingerprint-'));
  for (const folder of ['web/pages', 'shared', 'build']) await mkdir(path.join(root, folder), { recursive: true });
  for (const file of ['vite.config.ts', 'package-lock.json', 'web/pages/login.tsx', 'shared/product.ts']) {
    await write(file, file);
  }
});

afterEach(() => rm(root, { recursive: true }));

it('is the same for the same sources, whenever they were written', async () => {
  const before = await inputsFingerprint(root);
  await utimes(path.join(root, 'web/pages/login.tsx'), new Date(0), new Date(0));
  expect(await inputsFingerprint(root)).toBe(before);
});

it.each(['web/pages/login.tsx', 'shared/product.ts', 'package-lock.json', 'web/pages/new.tsx'])(
  'is another one when %s changes',
  async (file) => {
    const before = await inputsFingerprint(root);
    await write(file, 'changed');
    expect(await inputsFingerprint(root)).not.toBe(before);
  },
);

it('is another one when a file is renamed', async () => {
  const before = await inputsFingerprint(root);
  await rm(path.join(root, 'web/pages/login.tsx'));
  await write('web/pages/sign-in.tsx', 'web/pages/login.tsx');
  expect(await inputsFingerprint(root)).not.toBe(before);
});

it('does not mind a test', async () => {
  const before = await inputsFingerprint(root);
  await write('web/pages/login.test.tsx', 'a test');
  expect(await inputsFingerprint(root)).toBe(before);
});
