import { describe, expect, test } from 'vitest';
import { foldedPassphrase, sealedTitle, titleOutside } from './letter-seal.ts';

describe('a passphrase', () => {
  test.each([
    ['capital letters', 'The Lemon Tree', 'the lemon tree'],
    ['spaces', '  the lemon\ttree ', 'thelemontree'],
    ['a space that does not break', 'lemon\u00a0tree', 'lemon tree'],
    ['punctuation', 'Nan’s lemon-tree, 1982!', 'nans lemon tree 1982'],
    ['which apostrophe was found', "Nan's", 'Nan´s'],
    ['how an accent is composed', 'cafe\u0301', 'CAFÉ'],
    ['the width of letters', 'ｌｅｍｏｎ', 'lemon'],
    ['a letter with two capitals', 'Straße', 'STRASSE'],
    ['a letter with two small forms', 'οδος αθηνας', 'ΟΔΟΣ ΑΘΗΝΑΣ'],
    ['what nobody sees', 'lemon\u200b\u00adtree', 'lemontree'],
  ])('is the same whatever is done about %s', (_, one, other) => {
    expect(foldedPassphrase(one)).toBe(foldedPassphrase(other));
    expect(foldedPassphrase(foldedPassphrase(one))).toBe(foldedPassphrase(one));
  });

  test.each([
    ['another word', 'lemon tree', 'lemon trees'],
    ['an accent', 'cafe', 'café'],
    ['a digit', '1982', '1983'],
    ['a picture', '🌷', '🌹'],
  ])('is another with %s', (_, one, other) => {
    expect(foldedPassphrase(one)).not.toBe(foldedPassphrase(other));
  });

  test('a passphrase of punctuation and spaces alone is empty', () => {
    expect(foldedPassphrase(' ... – ! ')).toBe('');
  });
});

describe('the title outside', () => {
  test('says nothing where it is under the seal, and is the letter’s own where it is not', () => {
    const title = 'For Nell';
    expect(titleOutside({ title, encryptedContent: { version: 2 } })).toBe(sealedTitle);
    expect(titleOutside({ title, encryptedContent: { version: 1 } })).toBe(title);
    expect([titleOutside({ title }), titleOutside({ title, encryptedContent: null })]).toEqual([title, title]);
  });
});
