import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressIn, addressProblem, statedAddress } from './written-address.ts';

describe('an address as it was typed or pasted', () => {
  test.each([
    ['with white space and capitals', '  Jane@Mail.Example \n', 'jane@mail.example'],
    ['with a zero width space', 'jane@mail.example\u200b', 'jane@mail.example'],
    ['with a zero width space in the middle', 'jane@\u200bmail.example', 'jane@mail.example'],
    ['copied from Contacts', '\u2068jane@mail.example\u2069', 'jane@mail.example'],
    ['with marks of direction', '\u202ajane@mail.example\u202c', 'jane@mail.example'],
    ['with a soft hyphen', 'ja\u00adne@mail.example', 'jane@mail.example'],
    ['with a no-break space', '\u00a0jane@mail.example\u00a0', 'jane@mail.example'],
    ['with a name', 'Jane Doe <jane@mail.example>', 'jane@mail.example'],
    ['with a name in quotes', '"Doe, Jane" <Jane@mail.example>;', 'jane@mail.example'],
    ['in brackets', '<jane@mail.example>', 'jane@mail.example'],
    ['as a link', 'mailto:jane@mail.example', 'jane@mail.example'],
    ['as a link with a subject', 'MAILTO:ann%2Bx@mail.example?subject=Hello', 'ann+x@mail.example'],
    ['as Outlook pastes it', 'jane@mail.example <mailto:jane@mail.example>', 'jane@mail.example'],
    ['with a full stop', 'jane@mail.example.', 'jane@mail.example'],
    ['with a comma', 'jane@mail.example,', 'jane@mail.example'],
    ['with a semicolon', 'jane@mail.example;', 'jane@mail.example'],
    ['in quotes', '“jane@mail.example”', 'jane@mail.example'],
    ['in single quotes', '‘jane@mail.example’', 'jane@mail.example'],
    ['in parentheses', '(jane@mail.example)', 'jane@mail.example'],
    ['with a full-width @', 'jane＠mail.example', 'jane@mail.example'],
    ['in full width', 'ｊａｎｅ＠ｍａｉｌ．ｅｘａｍｐｌｅ', 'jane@mail.example'],
    ['with a curly apostrophe', 'o’brien@mail.example', "o'brien@mail.example"],
    ['with an apostrophe of Unicode', 'oʼbrien@mail.example', "o'brien@mail.example"],
    ['with a dash', 'smith–jones@mail.example', 'smith-jones@mail.example'],
    ['with an ampersand', 'smith&sons@mail.example', 'smith&sons@mail.example'],
    ['with a slash', 'a/b@mail.example', 'a/b@mail.example'],
    ['with an exclamation mark', 'x!y@mail.example', 'x!y@mail.example'],
    ['with every other atext', "#$%*+-=?^_`{|}~'@mail.example", "#$%*+-=?^_`{|}~'@mail.example"],
    ['with a German domain', 'post@Müller.example', 'post@xn--mller-kva.example'],
    ['with a domain in two characters', 'post@mu\u0308ller.example', 'post@xn--mller-kva.example'],
    ['with a Cyrillic domain', 'anna@почта.рф', 'anna@xn--80a1acny.xn--p1ai'],
    ['with a punycode ending', 'anna@xn--80a1acny.xn--p1ai', 'anna@xn--80a1acny.xn--p1ai'],
    ['with an ideographic full stop', 'anna@例え。jp', 'anna@xn--r8jz45g.jp'],
    ['with a plus and dots', 'a.nn+legacy@gmail.com', 'a.nn+legacy@gmail.com'],
  ])('%s', (_, typed, address) => {
    expect(addressIn(typed)).toBe(address);
    expect(addressProblem(address)).toBeNull();
    expect(addressIn(address)).toBe(address);
  });

  test.each([
    '',
    ' \u200b',
    'jane',
    'jane@',
    '@mail.example',
    'jane@localhost',
    'jane@mail',
    'jane@mail..example',
    '.jane@mail.example',
    'ja..ne@mail.example',
    'jane@1.2.3.4',
    'jane@-mail.example',
    'jane doe@mail.example',
    'jane@mail.example tom@mail.example',
    'jane@mail.example, tom@mail.example',
    'tom@mail.example <jane@mail.example>',
    'Jane <jane@mail.example> <tom@mail.example>',
    'jane@mail@mail.example',
    '"jane doe"@mail.example',
    'jane@mail.example/x',
    'jane@mail_x.example',
    'jane@[127.0.0.1]',
    'jane\r\nBcc: tom@mail.example',
    `${'x'.repeat(65)}@mail.example`,
    `jane@${'x'.repeat(64)}.example`,
    `jane@${'x.'.repeat(130)}example`,
    `${'jane'.repeat(16)},@mail.example`,
  ])('%j is none', (typed) => {
    expect(addressProblem(addressIn(typed))).toBe('Please enter a valid email address');
  });

  test.each([
    ['jürgen@mail.example', 'ü'],
    ['ju\u0308rgen@mail.example', 'ü'],
    ['анна@mail.example', 'а'],
    ['jürgen@müller.example', 'ü'],
  ])('%s is refused with the letter that can’t be sent', (typed, letter) => {
    expect(addressProblem(addressIn(typed))).toBe(
      `We can’t send email to an address with “${letter}” before the @. Please enter another address`,
    );
  });

  test('is the same after a second reading, whatever was typed', () => {
    const piece = fc.constantFrom(
      ...[
        'jane',
        '@',
        'mail.example',
        '<',
        '>',
        ' ',
        'mailto:',
        "'",
        '’',
        '.',
        ',',
        '"',
        '?',
        '%40',
        'ü',
        '\u200b',
        '＠',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const address = addressIn(pieces.join(''));
        if (addressProblem(address) === null) expect(addressIn(address)).toBe(address);
      }),
    );
  });
});

describe('an address that a program states', () => {
  test.each([
    [' Jane@Mail.Example', 'jane@mail.example'],
    ['post@müller.example', 'post@xn--mller-kva.example'],
    ['o’brien@mail.example', null],
    ['Jane <jane@mail.example>', null],
    ['mailto:jane@mail.example', null],
    ['ja\u200bne@mail.example', null],
    ['ｊane@mail.example', null],
    ['\u212aate@mail.example', null],
    ['jane@mail.example.', null],
    ['jürgen@mail.example', null],
  ])('%j is read as %j', (stated, address) => {
    expect(statedAddress(stated)).toBe(address);
  });
});
