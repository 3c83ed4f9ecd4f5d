import { describe, expect, test } from 'vitest';
import { requiredName } from '#shared/contract/fields.ts';
import { holdsLink, holdsNumber, quotable, withoutHidden } from './links.ts';

describe('a name', () => {
  test.each([
    'Ada',
    'J.R.R. Tolkien',
    'J.R. Tolkien',
    'J.R.R.Tolkien',
    'Mary St.John',
    'St. John-Smythe',
    'St.John-Smythe',
    'Dr. Smith',
    'Dr.Okri',
    'Capt.Tom',
    'Lt.Col. Brown',
    'Lt.Col.Brown',
    'Cllr.Jones',
    'Mr. Page',
    'J. Bank',
    'Dr. Dev Patel',
    'Wm.Smith',
    'Rt.Hon. Anne Green',
    'O’Neill-Shah',
    'O’Brien Jr.',
    'Anna Maria',
    'A. B. Cleese',
    'Siân',
    'Sia\u0302n',
    'Nguyễn Thị Hồng',
    'प्रिया शाह',
    'Jr.',
    'Nell (from the choir)',
    'Mum & Dad',
    'Wait…what',
    'Nell 2',
    'See you at 10.30am',
  ])('%s holds no link', (name) => {
    expect(holdsLink(name)).toBe(false);
    expect(requiredName().safeParse(name).success).toBe(true);
  });

  test.each([
    ['a scheme', 'You won 1000 GBP! Claim at https://evil.example/claim before midnight'],
    ['www', 'www.evil'],
    ['a domain', 'evil.example'],
    ['a domain with a path', 'Nell evil.com/claim'],
    ['capitals', 'EVIL.COM'],
    ['a capital on each side', 'Evil.Com'],
    ['an ideographic full stop', 'evil。example'],
    ['wide letters', 'ｅｖｉｌ．ｅｘａｍｐｌｅ'],
    ['a halfwidth full stop', 'evil｡com'],
    ['a one dot leader', 'evil․com'],
    ['a mailbox', 'nell@evil.example'],
    ['another script', 'пример.рф'],
    ['a domain in Punycode', 'xn--e1afmkfd.xn--p1ai'],
    ['a title as the first label', 'st.evil.example'],
    ['a sentence end', 'nell evil.example.'],
    ['a shortener', 'Refund: v.gd/AbC123'],
    ['a shortener in capitals', 'V.GD/AbC123'],
    ['one letter with a path', 't.co/x'],
    ['one letter', 'x.com'],
    ['one capital letter', 'X.Com'],
    ['a title with a path', 'dr.xyz/claim'],
    ['a title with a path and capitals', 'Dr.Xyz/claim'],
    ['a title with an ending', 'Rev.Com'],
    ['a title with a path and an ending', 'rev.com/claim'],
    ['a title with a hyphen before', 'Refund-Dr.Xyz'],
    ['an IPv4 address', '1.2.3.4'],
    ['an IPv4 address with a path', 'at 1.2.3.4/x'],
    ['a host with a port', 'localhost:80'],
    ['a host with a path', 'localhost/claim'],
    ['a zero width space', 'evil.\u200bcom'],
    ['a soft hyphen', 'evil.\u00adcom'],
    ['a word joiner', 'evil\u2060.com'],
    ['a combining mark', 'evi\u0332l.com'],
    ['a combining mark after the full stop', 'evil.\u0332com'],
    ['a variation selector', 'evil.\ufe0fcom'],
    ['a Hangul filler', 'evil.\u3164com'],
    ['a turned direction', 'evil\u202e.com'],
    ['words behind a hyphen', 'evil.com-now'],
  ])('with %s holds one', (_, name) => {
    expect(holdsLink(name)).toBe(true);
    expect(requiredName().safeParse(name).success).toBe(false);
  });

  test.each(
    'zip dev zone page bank money world life live click link shop site online'.split(' ').flatMap((ending) => {
      const capital = `${ending.charAt(0).toUpperCase()}${ending.slice(1)}`;
      return [`Dr.${capital}`, `J.${capital}`, `Fr.${ending}`];
    }),
  )('%s is a domain, although a title or an initial stands before it', (name) => {
    expect(holdsLink(name)).toBe(true);
    expect(requiredName().safeParse(name).success).toBe(false);
  });

  test.each([
    ['in one row', 'Ring 03301234567'],
    ['with blanks', 'ring 0330 123 4567 today'],
    ['with dashes', '0330-123-4567'],
    ['with dots', '0330.123.4567'],
    ['with a country code', '+44 (0)330 123 4567'],
    ['in wide digits', '０３３０１２３４５６７'],
    ['in Arabic digits', '٠٣٣٠١٢٣٤٥٦٧'],
    ['in keycaps', [...'0330123'].map((digit) => `${digit}\ufe0f\u20e3`).join('')],
    ['with soft hyphens', '0330\u00ad123\u00ad4567'],
    ['behind a date', '27.11.2026 0330 123 4567'],
  ])('with a number %s is refused', (_, name) => {
    expect(holdsNumber(name)).toBe(true);
    expect(requiredName().safeParse(name).success).toBe(false);
  });

  test.each(['27.11.2026', '27/11/2026', '2026-11-27', '1948–2026', 'Flat 12, 34 High Street', '3 of 12 in 2026'])(
    'may hold figures that are no number to ring: %s',
    (words) => expect(holdsNumber(words)).toBe(false),
  );

  test('loses characters that turn its direction or show nothing, and keeps joiners and emoji', () => {
    expect(requiredName().parse('\u202aNell\u202c \u2066V\u00adane\u2069\u200b')).toBe('Nell Vane');
    expect(withoutHidden('می\u200cخواهم 👩\u200d👧 🏴󠁧󠁢󠁷󠁬󠁳󠁿')).toBe('می\u200cخواهم 👩\u200d👧 🏴󠁧󠁢󠁷󠁬󠁳󠁿');
    expect(requiredName().safeParse('\u202e\u2066 \u200b').success).toBe(false);
  });
});

test.each([
  ['He died in the night.Please write to Nell.', 'He died in the night. Please write to Nell.'],
  ['He died in the night.please write to Nell.', 'He died in the night. please write to Nell.'],
  ['We have heard nothing, e.g. on Sunday.', 'We have heard nothing, e.g. on Sunday.'],
  ['Dr. Smith told us on 27.11.2026.', 'Dr. Smith told us on 27.11.2026.'],
  ['Stop it at https://evil.example/stop or it is sent', 'Stop it at [address left out] or it is sent'],
  ['Stop it at evil.example/stop', 'Stop it at [address left out]'],
  ['Stop it at v.gd/AbC123 or 1.2.3.4/x', 'Stop it at [address left out] or [address left out]'],
  ['Pay at evil.com now', 'Pay at [address left out] now'],
  ['Pay at evil.\u200bcom now', 'Pay at [address left out] now'],
  ['Write to help@evil.example now', 'Write to [address left out] now'],
  ['See www.evil and ｅｖｉｌ．ｅｘａｍｐｌｅ', 'See [address left out] and evil. example'],
  ['Ring 0330 123 4567 today', 'Ring [number left out] today'],
  ['He died on 27.11.2026. Ring +44 330 123-4567.', 'He died on 27.11.2026. Ring [number left out].'],
  ['One line\nand another\u202e', 'One line and another'],
])('the words “%s” keep no link and no number to follow', (words, shown) => {
  expect(quotable(words)).toBe(shown);
  expect(holdsLink(quotable(words)) || holdsNumber(quotable(words))).toBe(false);
});

test('a text of a million letters is checked in one pass', () => {
  expect(holdsLink('a'.repeat(1_000_000))).toBe(false);
  expect(holdsLink(`${'a.'.repeat(500_000)}`)).toBe(false);
  expect(holdsLink(`${'ab.'.repeat(300_000)}`)).toBe(true);
  expect(holdsNumber('1    '.repeat(200_000))).toBe(true);
  expect(holdsNumber('12345 a '.repeat(100_000))).toBe(false);
});
