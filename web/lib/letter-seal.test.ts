import { describe, expect, it } from 'vitest';
import { sealedLetter } from '#shared/contract/messages.ts';
import { openLetter, sealLetter } from './letter-seal.ts';

const words = 'Liebe Nell,\n\ndie blaue Dose. 🗝️ \u0000';

describe('A letter sealed with a passphrase', () => {
  it('opens with it, however its capitals, spaces and accents are typed', async () => {
    const sealed = await sealLetter(words, { passphrase: 'The Café  in Whitby', hint: null });
    expect(await openLetter(sealed, 'The Café  in Whitby')).toBe(words);
    expect(await openLetter(sealed, ' the cafe\u0301 in WHITBY ')).toBe(words);
  });

  it('opens with no other, and holds nothing of the words', async () => {
    const sealed = await sealLetter('the photographs', { passphrase: 'lemon tree', hint: 'What stood in the yard?' });
    expect(await openLetter(sealed, 'lemon trees')).toBeNull();
    expect(await openLetter(sealed, '')).toBeNull();
    expect(JSON.stringify(sealed)).not.toContain('photographs');
  });

  it('is another every time, and one that the service takes', async () => {
    const [first, second] = await Promise.all([
      sealLetter(words, { passphrase: 'lemon tree', hint: null }),
      sealLetter(words, { passphrase: 'lemon tree', hint: null }),
    ]);
    expect(first.ciphertext).not.toBe(second.ciphertext);
    expect(sealedLetter.parse(first)).toEqual(first);
  });

  it.each(['salt', 'nonce', 'ciphertext'] as const)(
    'does not open once a letter of its %s is changed',
    async (part) => {
      const sealed = await sealLetter(words, { passphrase: 'lemon tree', hint: null });
      const first = sealed[part].startsWith('A') ? 'B' : 'A';
      expect(await openLetter({ ...sealed, [part]: first + sealed[part].slice(1) }, 'lemon tree')).toBeNull();
    },
  );

  it('can be as long as a letter may be', async () => {
    const long = '日'.repeat(200_000);
    const sealed = await sealLetter(long, { passphrase: 'lemon tree', hint: null });
    expect(sealedLetter.safeParse(sealed).success).toBe(true);
    expect(await openLetter(sealed, 'lemon tree')).toBe(long);
  });
});
