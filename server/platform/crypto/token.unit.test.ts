import { expect, test } from 'vitest';
import { hashToken, newToken } from './token.ts';

test('a token is 43 characters that need no escaping in an address, and never the same twice', () => {
  const tokens = Array.from({ length: 1_000 }, newToken);
  expect(new Set(tokens).size).toBe(1_000);
  expect(tokens.filter((token) => !/^[\w-]{43}$/.test(token))).toEqual([]);
});

test('what is stored is the SHA-256 of a token', () => {
  // FIPS 180-2, appendix B.1, in base64url.
  expect(hashToken('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});
