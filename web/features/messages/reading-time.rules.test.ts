import { describe, expect, it } from 'vitest';
import { countWords, readingNote } from './reading-time.rules.ts';

describe('The words of a letter', () => {
  it('are separated by white space', () => {
    expect(countWords('')).toBe(0);
    expect(countWords('  Dear   Nell,\n\nput the kettle on. ')).toBe(6);
  });

  it.each([
    ['', 'No words yet'],
    ['word', '1 word'],
    ['word '.repeat(82), '82 words'],
    ['word '.repeat(200), '200 words, about a minute to read'],
    ['word '.repeat(1000), '1,000 words, about 5 minutes to read'],
  ])('are counted, with the time they take to read', (text, note) => {
    expect(readingNote(text)).toBe(note);
  });
});
