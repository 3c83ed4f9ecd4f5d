import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { create } from 'fontkit';
import { expect, test } from 'vitest';
import { unpackWoff } from './woff.ts';

const file = createRequire(import.meta.url).resolve(
  '@fontsource/cactus-classical-serif/files/cactus-classical-serif-122-400-normal.woff',
);

test('a WOFF file whose character map fontkit cannot inflate has its characters once it is unpacked', async () => {
  const font = create(unpackWoff(await readFile(file)));
  expect('characterSet' in font && font.characterSet).toContain('你'.codePointAt(0));
});

test('a WOFF file with a damaged table is rejected', async () => {
  const bytes = await readFile(file);
  expect(() => unpackWoff(Buffer.concat([bytes.subarray(0, 2_000), Buffer.alloc(bytes.length - 2_000)]))).toThrow();
});
