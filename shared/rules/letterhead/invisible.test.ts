import { expect, test } from 'vitest';
import { optionalLine, optionalText, requiredLine, requiredName, requiredText } from '#shared/contract/fields.ts';
import { trimmedText } from './invisible.ts';

const blanks = [
  ['a zero width space', '\u200b'],
  ['a soft hyphen', '\u00ad'],
  ['a blank pattern of Braille', '\u2800'],
  ['a Hangul filler', '\u3164'],
  ['a half-width Hangul filler', '\uffa0'],
  ['a word joiner between spaces', ' \u2060 '],
  ['a joiner', '\u200d'],
  ['a variation selector', '\ufe0f'],
  ['an ideographic space', '\u3000'],
  ['a tag character', '\u{e0041}'],
] as const;

test.each(blanks)('%s is an empty text', (_, text) => {
  expect(trimmedText(text)).toBe('');
  for (const field of [requiredText(20), requiredLine(20), requiredName()]) {
    expect(field.safeParse(text).error?.issues.map(({ message }) => message)).toEqual(['Required']);
  }
  expect([optionalText(20).parse(text), optionalLine(20).parse(text)]).toEqual([null, null]);
});

test.each(['❤️', '👨‍👩‍👧', 'می‌خواهم', 'क्‍ष', '·'])('%s is a text, and stays as it is', (text) => {
  expect(trimmedText(` ${text}\n`)).toBe(text);
  expect(requiredText(20).parse(text)).toBe(text);
});
