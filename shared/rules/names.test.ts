import { describe, expect, test } from 'vitest';
import { holdsLink, withoutLinks } from './names.ts';

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

test.each([
  ['He died in the night.Please write to Nell.', 'He died in the night. Please write to Nell.'],
  ['We have heard nothing, e.g. on Sunday.', 'We have heard nothing, e.g. on Sunday.'],
  ['Stop it at https://evil.example/stop or it is sent', 'Stop it at [address left out] or it is sent'],
  ['Stop it at evil.example/stop', 'Stop it at evil. example/stop'],
  ['Write to help@evil.example now', 'Write to [address left out] now'],
  ['See www.evil and ｅｖｉｌ．ｅｘａｍｐｌｅ', 'See [address left out] and evil. example'],
])('of the words “%s” nothing is left that could be pressed', (words, shown) => {
  expect(withoutLinks(words)).toBe(shown);
  expect(holdsLink(withoutLinks(words))).toBe(false);
});

test('a text of a million letters is looked through in one go', () => {
  expect(holdsLink('a'.repeat(1_000_000))).toBe(false);
  expect(holdsLink(`${'a.'.repeat(500_000)}`)).toBe(false);
  expect(holdsLink(`${'ab.'.repeat(300_000)}`)).toBe(true);
});
