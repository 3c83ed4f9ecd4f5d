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
  ])('%s holds one', (name) => expect(holdsLink(name)).toBe(true));
});
