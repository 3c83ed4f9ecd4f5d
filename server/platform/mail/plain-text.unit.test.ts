import { expect, test } from 'vitest';
import { plainLineLength, unwrapped } from '#shared/rules/plain-lines.ts';
import { wrapText } from './plain-text.ts';

const letter = `Hello Olive,

We last heard from you on 22 November 2026. Press Check in to tell us all is well, and that you are where you wish to be.

Check in:
http://localhost:3000/check-in/${'x'.repeat(80)}

--
You get this because you keep messages with Everkept, and your release settings ask us to look after you.
Everkept: http://localhost:3000/`;

test('unwrapping returns the wrapped text, and no typed line break is lost', () => {
  const wrapped = wrapText(letter);
  expect(wrapped).not.toBe(letter);
  expect(
    wrapped
      .split('\n')
      .filter((line) => !line.includes('/check-in/'))
      .every((line) => line.length <= plainLineLength),
  ).toBe(true);
  expect(unwrapped(wrapped)).toBe(letter);
});
