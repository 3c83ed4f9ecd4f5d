import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesPerPiece, piecesOf, runLengthMax, shortRuns, wordLengthMax } from './book-pieces.ts';

test('a text of 100,000 lines is set in pieces of 50 lines and stays whole', () => {
  const text = 'a\n'.repeat(99_999);
  const pieces = piecesOf(text);
  expect(pieces).toHaveLength(100_000 / linesPerPiece);
  expect(pieces.join('\n')).toBe(text);
});

test('a word of 200,000 letters is broken into words of 100', () => {
  const runs = shortRuns('a'.repeat(200_000));
  expect(runs).toHaveLength(200_000 / runLengthMax);
  expect(shortRuns('a'.repeat(wordLengthMax * 5 + 1))).toEqual(['a'.repeat(runLengthMax), 'a']);
});

test.each(['( ', '! ', 'a\u00A0', 'a '])('a text of 100,000 times "%s" has no run above its limit', (part) => {
  const runs = shortRuns(part.repeat(100_000));
  expect(Math.max(...runs.map((run) => run.length))).toBeLessThanOrEqual(runLengthMax);
  expect(runs.join('')).toBe(part.repeat(100_000));
});

test('every text stays whole, character by character', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', 'é'), maxLength: 3_000 }), (text) => {
      expect(shortRuns(text).join('')).toBe(text);
      expect(piecesOf(text).join('\n')).toBe(text);
    }),
  );
});
