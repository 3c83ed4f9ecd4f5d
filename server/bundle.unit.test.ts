import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf, freshBundle } from './bundle.mjs';

const files = ['server/cli.ts', 'node_modules/pg/package.json'];
let folder: string;
let root: URL;
const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
const inputs = (fingerprint: string) => write('dist/server/inputs.json', JSON.stringify({ fingerprint, files }));

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'everkept-bundle-'));
  root = pathToFileURL(`${folder}/`);
  for (const below of ['server', 'node_modules/pg', 'dist/server']) {
    await mkdir(path.join(folder, below), { recursive: true });
  }
  for (const file of files) await write(file, file);
});
afterEach(() => rm(folder, { recursive: true }));

describe('The bundle of the server', () => {
  it('is started where its sources and packages are those that it was made from', async () => {
    const fingerprint = fingerprintOf(root, files);
    await inputs(fingerprint);
    expect(freshBundle(root)?.href).toBe(new URL(`dist/server/${fingerprint}/cli.mjs`, root).href);
  });

  it.each(files)('is passed over once %s has changed', async (file) => {
    await inputs(fingerprintOf(root, files));
    await write(file, 'changed');
    expect(freshBundle(root)).toBeUndefined();
  });

  it('is passed over where a source is gone', async () => {
    await inputs(fingerprintOf(root, files));
    await rm(path.join(folder, 'server/cli.ts'));
    expect(freshBundle(root)).toBeUndefined();
  });

  it.each(['', '{"files":', '{}'])('is passed over where its list of inputs is %j', async (text) => {
    await write('dist/server/inputs.json', text);
    expect(freshBundle(root)).toBeUndefined();
  });

  it('is passed over where there is none', () => {
    expect(freshBundle(root)).toBeUndefined();
  });
});
