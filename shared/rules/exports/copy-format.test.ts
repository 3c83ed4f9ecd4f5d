import { expect, test } from 'vitest';
import { copyNonce, copyPurpose, isCopyPassphrase } from './copy-format.ts';

test('a nonce has the item, the piece and the mark of the last piece, each in bytes of its own', () => {
  const numbers = { item: 0x01020304, piece: 0x05060708, isLast: true };
  expect([...copyNonce(numbers)]).toEqual([1, 2, 3, 4, 0, 0, 0, 5, 6, 7, 8, 1]);
  expect([...copyNonce({ item: 0, piece: 0, isLast: false })]).toEqual(Array(12).fill(0));
});

test('pieces are bound to the format version and to the name of their item', () => {
  expect(new TextDecoder().decode(copyPurpose('vault.json'))).toBe('everkept copy 1 vault.json');
});

test.each([
  ['lemon tree 12', false],
  ['lemon trees 12', true],
  ['a - b - c - d - e - f - g', false],
  ['ein Lied für Nell', true],
  ['🗝️🗝️🗝️🗝️🗝️🗝️🗝️🗝️🗝️🗝️🗝️🗝️', true],
])('“%s” is long enough for a copy: %s', (typed, isEnough) => {
  expect(isCopyPassphrase(typed)).toBe(isEnough);
});
