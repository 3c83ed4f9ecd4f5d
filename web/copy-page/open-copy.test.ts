import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { copyDataName } from '#shared/rules/exports/copy-format.ts';
import { firstCommentOf } from './elements.ts';
import { openFurther, openItem, openSeal, type Piece, recogniseFurther } from './open-copy.ts';
import { takePieces } from './pieces.ts';
import type { Vault } from './vault.ts';

const passphrase = 'the LEMON tree at nans';
const furtherId = 'ffeb0715f82e3a81';
const golden = readFileSync('tests/golden/copy-1.html', 'utf8');
const beside = readFileSync(`tests/golden/copy-1-${furtherId}.sealed`);

async function read(html: string) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const seal = JSON.parse(page.getElementById('seal')?.textContent ?? '');
  return { seal, ...(await takePieces(page, () => undefined)), left: page.querySelectorAll('[data-nonce]').length };
}

async function keyOf({ seal }: Awaited<ReturnType<typeof read>>): Promise<CryptoKey> {
  const key = await openSeal(seal, passphrase);
  if (!key) throw new Error('The passphrase was wrong.');
  return key;
}

describe('A copy of format version 1', () => {
  it('opens with its passphrase, text and files, and with no other', async () => {
    const copy = await read(golden);
    expect([copy.isWhole, copy.left]).toEqual([true, 0]);
    expect(await openSeal(copy.seal, 'the lemon trees')).toBeNull();
    const key = await keyOf(copy);
    const vault: Vault = JSON.parse(await (await openItem(key, copyDataName, copy.items)).text());
    expect(vault.messages[1]?.title).toBe('<script>document.title="run"</script>');
    const { file = '' } = vault.documents[0]?.file ?? {};
    expect(await (await openItem(key, file, copy.items)).text()).toBe('The house is hers.');
  });

  it('finds the words about its format in the head, after the charset', () => {
    const [comment = ''] = /<!--.*?-->/s.exec(golden) ?? [];
    const html = golden.replace(comment, '').replace('<meta charset="utf-8">', `$&\n${comment}`);
    const page = new DOMParser().parseFromString(html, 'text/html');
    expect(firstCommentOf(page)).toMatch(/^A SEALED COPY OF A VAULT \(Everkept\), FORMAT VERSION 1\n/);
  });

  it('is said to be cut where its end is missing', async () => {
    expect((await read(golden.slice(0, golden.indexOf('<p id="end"')))).isWhole).toBe(false);
  });

  const documentPiece = /(data-name="document-001\.txt" data-nonce=")([^"]*)(">)([^<]*)/;
  it.each<[string, (text: string) => string]>([
    ['a wrong character', (text) => `!${text.slice(1)}`],
    // Its padding alone may be missing: two characters.
    ...[1, 3, 4, 5, 6].map((cut): [string, (text: string) => string] => [
      `its last ${cut} characters missing`,
      (text) => text.slice(0, -cut),
    ]),
    ['nothing in it', () => ''],
  ])('opens all other items where a piece, or its nonce, has %s', async (_, change) => {
    for (const html of [
      golden.replace(documentPiece, (_all, start, nonce, middle, text) => start + nonce + middle + change(text)),
      golden.replace(documentPiece, (_all, start, nonce, middle, text) => start + change(nonce) + middle + text),
    ]) {
      expect(html).not.toBe(golden);
      const copy = await read(html);
      expect([copy.isWhole, copy.left]).toEqual([true, 0]);
      const key = await keyOf(copy);
      await expect(openItem(key, 'document-001.txt', copy.items)).rejects.toMatchObject({ name: 'DamagedError' });
      expect(await (await openItem(key, copyDataName, copy.items)).text()).toContain('"messages"');
    }
  });

  it.each<[string, (piece: Piece) => Piece[]]>([
    ['missing', () => []],
    ['there twice', (piece) => [piece, piece]],
    ['marked as another', (piece) => [{ ...piece, nonce: piece.nonce.replace(/B$/, 'A') }]],
    ['changed', ({ nonce, sealed }) => [{ nonce, sealed: new Blob(['x', sealed.slice(1)]) }]],
  ])('does not open an item whose piece is %s', async (_, change) => {
    const copy = await read(golden);
    const [piece] = copy.items.get(copyDataName) ?? [];
    const items = new Map(copy.items).set(copyDataName, piece ? change(piece) : []);
    await expect(openItem(await keyOf(copy), copyDataName, items)).rejects.toMatchObject({ name: 'DamagedError' });
  });

  it('does not take a piece of one item for another', async () => {
    const copy = await read(golden);
    const items = new Map(copy.items).set('document-001.txt', copy.items.get('letter-001.txt') ?? []);
    await expect(openItem(await keyOf(copy), 'document-001.txt', items)).rejects.toMatchObject({
      name: 'DamagedError',
    });
  });

  it('recognises a file beside it under any name, and no other file', async () => {
    const names = ['0'.repeat(16), furtherId];
    const found = await recogniseFurther(new Blob([new Uint8Array(beside)]), names, passphrase);
    expect(found?.name).toBe(furtherId);
    expect(found && (await (await openFurther(found)).text())).toBe('Once upon a time.');
    expect(await recogniseFurther(new Blob([new Uint8Array(beside)]), ['0'.repeat(16)], passphrase)).toBeNull();
    expect(await recogniseFurther(new Blob(['a film']), names, passphrase)).toBeNull();
  });

  it('refuses a later version with an error, and not as a wrong passphrase', async () => {
    const { seal } = await read(golden);
    await expect(openSeal({ ...seal, version: 2 }, passphrase)).rejects.toMatchObject({ name: 'DamagedError' });
  });
});
