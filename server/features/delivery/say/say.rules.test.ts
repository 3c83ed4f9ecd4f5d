import { describe, expect, test } from 'vitest';
import { freeNumber, type IsSaid, laterWord } from './say.rules.ts';

const ledgerOf =
  (...words: string[]): IsSaid =>
  (saying, times) =>
    words.includes(`${saying} ${times}`);

describe('A word in the ledger', () => {
  const all = ['no more 1', 'letters 1', 'no more 2', 'letters 2'];
  const stored = [null, ...[1, 2].flatMap((times) => [true, false].map((isDeclined) => ({ times, isDeclined })))];

  test('comes back only after the stored one, whatever the ledger lost', () => {
    for (const [known, word] of stored.entries()) {
      for (let written = 0; written <= all.length; written += 1) {
        const said = laterWord(word, ledgerOf(...all.slice(0, written)));
        expect(said).toEqual(written > known ? stored[written] : null);
      }
    }
  });

  test('never gives its number to a new “no more letters”', () => {
    expect(freeNumber(0, ledgerOf())).toBe(1);
    expect(freeNumber(0, ledgerOf('no more 1', 'letters 1'))).toBe(2);
    expect(freeNumber(3, ledgerOf('no more 1'))).toBe(4);
  });
});
