import { describe, expect, test } from 'vitest';
import { holdsLink } from './names.ts';

describe('a name', () => {
  test.each([
    'Ada',
    'J.R.R. Tolkien',
    'Mary St.John',
    'Dr.Okri',
    'O’Neill-Shah',
    'Anna Maria',
    'A. B. Cleese',
    'Siân',
    'Jr.',
    'Nell (from the choir)',
  ])('%s holds no link', (name) => expect(holdsLink(name)).toBe(false));

  test.each([
    'You won 1000 GBP! Claim at https://evil.example/claim before midnight',
    'www.evil',
    'evil.example',
    'Nell evil.com/claim',
    'EVIL.COM',
    'evil。example',
    'ｅｖｉｌ．ｅｘａｍｐｌｅ',
    'nell@evil.example',
    'пример.рф',
    'st.evil.example',
    'nell evil.example.',
  ])('%s holds one', (name) => expect(holdsLink(name)).toBe(true));
});

test('a text of a million letters is looked through in one go', () => {
  expect(holdsLink('a'.repeat(1_000_000))).toBe(false);
  expect(holdsLink(`${'a.'.repeat(500_000)}`)).toBe(false);
  expect(holdsLink(`${'ab.'.repeat(300_000)}`)).toBe(true);
});
