import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newCopyKey, sealItem } from './copy-seal.ts';

const run = promisify(execFile);
const script = new URL('../../../../docs/open-copy.mjs', import.meta.url).pathname;
const golden = new URL('../../../../tests/golden/copy-1.html', import.meta.url);
const furtherId = 'ffeb0715f82e3a81';
const passphrase = 'the LEMON tree at nans';

let folder: string;
let copy: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everkept-script-'));
  copy = await readFile(golden, 'utf8');
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the documented script: its exit code, its words, and names of files that it saved. */
async function opened(content: string | Buffer, { name = 'copy.html', typed = passphrase } = {}) {
  const place = await mkdtemp(join(folder, 'one-'));
  const out = join(place, 'open');
  await writeFile(join(place, name), content);
  const { code, said } = await run(process.execPath, [script, join(place, name), out], {
    env: { PASSPHRASE: typed },
  }).then(
    ({ stderr }) => ({ code: 0, said: stderr }),
    (error) => ({ code: error.code, said: String(error.stderr) }),
  );
  return {
    code,
    said: said.trim(),
    names: (await readdir(out)).toSorted(),
    read: (file: string) => readFile(join(out, file)),
  };
}

const pieceOf = (name: string) => new RegExp(`<script type="text/plain" data-name="${name}".*\n`);
const damagedText = (name: string) =>
  copy.replace(pieceOf(name), (line) => line.replace(/">(.)/, (_, letter) => `">${letter === 'A' ? 'B' : 'A'}`));
const damaged = (name: string) => `${name} is damaged. Nothing of it opens.`;

test('a whole copy opens without a word', async () => {
  const { code, said, names } = await opened(copy);
  expect({ code, said }).toEqual({ code: 0, said: '' });
  expect(names).toEqual(expect.arrayContaining(['document-001.txt', 'letter-001.txt', 'vault.json']));
});

test('a damaged item costs no other item, and each one is named', async () => {
  const { names: all } = await opened(copy);
  const cases: [string, string, string][] = [
    ['document-001.txt', damagedText('document-001.txt'), damaged('document-001.txt')],
    [
      'document-001.txt',
      copy.replace(/(data-name="document-001.txt" data-nonce=")[^"]*/, '$1!'),
      damaged('document-001.txt'),
    ],
    ['document-001.txt', copy.replace('data-name="document-001.txt"', 'data-name=".."'), damaged('..')],
    ['document-001.txt', copy.replace(pieceOf('document-001.txt'), ''), `1 of ${all.length} items are missing.`],
    ['vault.json', damagedText('vault.json'), damaged('vault.json')],
    ['vault.json', copy.replace(pieceOf('vault.json'), ''), 'vault.json, with all text, is missing.'],
  ];
  for (const [name, changed, words] of cases) {
    expect(changed).not.toBe(copy);
    const { code, said, names } = await opened(changed);
    expect({ code, said, names }).toEqual({ code: 1, said: words, names: all.filter((one) => one !== name) });
  }
});

test('a copy without its end is opened, and said to be incomplete', async () => {
  const { names: all } = await opened(copy);
  const { code, said, names } = await opened(copy.slice(0, copy.indexOf('<p id="end"')));
  expect({ code, said, names }).toEqual({ code: 1, said: 'The file is incomplete: its end is missing.', names: all });
});

test('another passphrase saves nothing', async () => {
  const { code, said, names } = await opened(copy, { typed: 'the lemon trees' });
  expect({ code, said, names }).toEqual({ code: 1, said: 'This passphrase does not open this file.', names: [] });
});

test('a damaged file beside the page is saved without the parts that do not open', async () => {
  const key = await newCopyKey(passphrase);
  const pieces = [Buffer.from('EKCOPY1\n'), key.salt];
  async function* content() {
    yield Buffer.concat([Buffer.alloc(1_048_576, 'a'), Buffer.alloc(1_048_576, 'b'), Buffer.from('c')]);
  }
  for await (const { sealed } of sealItem(key, { name: furtherId, number: 0 }, content())) pieces.push(sealed);
  const name = `film-${furtherId}.sealed`;
  const whole = await opened(Buffer.concat(pieces), { name });
  expect([whole.code, whole.said, (await whole.read(furtherId)).length]).toEqual([0, '', 2_097_153]);

  pieces[3]?.fill(0, 0, 1);
  const { code, said, read } = await opened(Buffer.concat(pieces), { name });
  expect([code, said]).toEqual([1, `${furtherId} is damaged. The parts of it that open were saved.`]);
  expect(String(await read(furtherId)) === `${'a'.repeat(1_048_576)}c`).toBe(true);
});
