import { expect, test } from 'vitest';
import { waitingSentence } from './waiting.words.ts';

const may = Date.parse('2031-05-04T07:00:00Z');
const june = Date.parse('2032-06-01T07:00:00Z');

test('waiting letters are described by their number and the first day', () => {
  expect(waitingSentence([])).toBe('');
  expect(waitingSentence([may])).toBe('One letter waits until 4 May 2031.');
  expect(waitingSentence([may, may])).toBe('Two letters wait until 4 May 2031.');
  expect(waitingSentence([june, may, june])).toBe(
    'Three letters wait for days of their own, the first until 4 May 2031.',
  );
  expect(waitingSentence([may], may)).toBe('One letter is not sent yet.');
  expect(waitingSentence([june, may], may)).toBe('Two letters are not sent yet.');
  expect(waitingSentence(Array(12).fill(may))).toBe('12 letters wait until 4 May 2031.');
});
