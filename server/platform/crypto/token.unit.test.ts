import { expect, test } from 'vitest';
import { newToken } from './token.ts';

test('a token is 43 characters that need no escaping in an address, and never the same twice', () => {
  const tokens = Array.from({ length: 1_000 }, newToken);
  expect(new Set(tokens).size).toBe(1_000);
  expect(tokens.filter((token) => !/^[\w-]{43}$/.test(token))).toEqual([]);
});
