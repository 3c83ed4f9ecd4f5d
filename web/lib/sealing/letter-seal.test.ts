import { describe, expect, it } from 'vitest';
import { sealedLetter, sentSealedLetter } from '#shared/contract/messages.ts';
import { firstSealed } from './letter-seal.test-world.ts';
import { openLetter, sealLetter } from './letter-seal.ts';

const letter = { title: 'Für Nell', content: 'Liebe Nell,\n\ndie blaue Dose. 🗝️ \u0000' };
const hint = 'What stood in the yard?';

describe('A letter sealed with a passphrase', () => {
  it('opens with it, title and text, however its capitals, spaces, accents and punctuation are typed', async () => {
    const sealed = await sealLetter(letter, { passphrase: 'The Café  in Whitby', hint });
    for (const typed of [
      'The Café  in Whitby',
      ' the cafe\u0301 in WHITBY ',
      'thecaféinwhitby',
      'The “Café”, in Whitby!',
    ]) {
      expect(await openLetter(sealed, typed), typed).toEqual(letter);
    }
  });

  it('opens with no other, and holds nothing of its title or text', async () => {
    const photographs = { title: 'About the attic', content: 'the photographs' };
    const sealed = await sealLetter(photographs, { passphrase: 'lemon tree', hint });
    expect(await openLetter(sealed, 'lemon trees')).toBeNull();
    expect(await openLetter(sealed, '')).toBeNull();
    expect(JSON.stringify(sealed)).not.toMatch(/photographs|attic/);
  });

  it('is another every time, and one that the service takes', async () => {
    const [first, second] = await Promise.all([
      sealLetter(letter, { passphrase: 'lemon tree', hint }),
      sealLetter(letter, { passphrase: 'lemon tree', hint }),
    ]);
    expect(first.ciphertext).not.toBe(second.ciphertext);
    expect(sentSealedLetter.parse(first)).toEqual(first);
  });

  it.each(['salt', 'nonce', 'ciphertext'] as const)(
    'does not open once a letter of its %s is changed',
    async (part) => {
      const sealed = await sealLetter(letter, { passphrase: 'lemon tree', hint });
      const first = sealed[part].startsWith('A') ? 'B' : 'A';
      expect(await openLetter({ ...sealed, [part]: first + sealed[part].slice(1) }, 'lemon tree')).toBeNull();
    },
  );

  it('can be as long as a letter may be', async () => {
    const long = { title: '日'.repeat(200), content: '日'.repeat(200_000) };
    const sealed = await sealLetter(long, { passphrase: 'lemon tree', hint });
    expect(sentSealedLetter.safeParse(sealed).success).toBe(true);
    expect(await openLetter(sealed, 'lemon tree')).toEqual(long);
  });
});

describe('A letter that was sealed first, its text alone', () => {
  const { sealed, passphrase, content } = firstSealed;

  it('still opens, without a title, and its passphrase is taken as it was then', async () => {
    expect(await openLetter(sealed, passphrase)).toEqual({ title: null, content });
    expect(await openLetter(sealed, " the lemon tree, NAN'S ")).toEqual({ title: null, content });
    expect(await openLetter(sealed, 'the lemon tree nans')).toBeNull();
  });

  it('is still taken as it is, without a hint, and does not pass for one that holds its title', async () => {
    expect(sentSealedLetter.parse(sealed)).toEqual(sealed);
    expect(sealedLetter.parse(sealed)).toEqual(sealed);
    expect(sentSealedLetter.safeParse({ ...sealed, version: 2 }).success).toBe(false);
    expect(await openLetter({ ...sealed, version: 2 }, passphrase)).toBeNull();
  });
});
