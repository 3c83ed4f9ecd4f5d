import { describe, expect, it } from 'vitest';
import { idsMatching } from './faq-search.rules.ts';

const entries = [
  { id: 'a', words: 'Can my trusted contacts read my letters? No.' },
  { id: 'b', words: 'What if I don’t answer? We ask your contacts.' },
  { id: 'c', words: 'A café in Whitby' },
];
const found = (typed: string) => [...(idsMatching(entries, typed) ?? ['everything'])];

describe('searching the questions', () => {
  it('finds what holds every word, in any order, also inside of words and across kinds of letters', () => {
    expect(found('contact')).toEqual(['a', 'b']);
    expect(found('LETTERS trust')).toEqual(['a']);
    expect(found("don't")).toEqual(['b']);
    expect(found('cafe')).toEqual(['c']);
  });

  it('finds nothing where a word is missing, and hides nothing where none was typed', () => {
    expect(found('contacts zebra')).toEqual([]);
    expect(found('   ')).toEqual(['everything']);
  });
});
