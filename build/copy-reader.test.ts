import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readerFile } from '#server/features/data-export/copy/copy-page.ts';
import { bundleReader } from './copy-reader.ts';

test('the script of copies is made from its sources: run “npm run copy:reader” after a change', async () => {
  const script = await bundleReader();
  expect(script === (await readFile(readerFile, 'utf8'))).toBe(true);
  expect(script).not.toMatch(/\bfetch\(|XMLHttpRequest|WebSocket|innerHTML|outerHTML|insertAdjacentHTML|\beval\(/);
});
