import { expect, test } from 'vitest';
import { copyNameOf } from './copy-name.ts';

test.each([
  ['For Nell, when it’s time', 'For Nell, when it’s time.pdf'],
  ['../a\\b: "c"?\u202Egnp', 'a b c gnp.pdf'],
  ['Hello both ❤️', 'Hello both ❤️.pdf'],
  ['For 👨‍👩‍👧', 'For 👨‍👩‍👧.pdf'],
  ['给妈妈', '给妈妈.pdf'],
  ['می‌خواهم', 'می‌خواهم.pdf'],
  ['a\u200Bb \u200D. ', 'ab.pdf'],
  ['???', 'A letter from Everkept.pdf'],
  ['\uD800', '\uFFFD.pdf'],
])('a copy of a letter with the title %j is named %j', (title, name) => {
  expect(copyNameOf(title, 'pdf')).toBe(name);
});

test('a name ends between two characters, after 80 of them', () => {
  expect(copyNameOf('😀'.repeat(300), 'html')).toBe(`${'😀'.repeat(80)}.html`);
});
