import { describe, expect, it } from 'vitest';
import type { DocumentCategory } from '#shared/rules/categories.ts';
import { type DocumentFilter, documentOrders, isInFilter, wordTest } from './document-lists.ts';

type Listed = { name: string; category: DocumentCategory; description: string | null; fileName: string };

const will: Listed = { name: 'The will', category: 'legal', description: 'Signed 2024', fileName: 'scan-01.pdf' };
const funeral: Listed = {
  name: 'Funeral',
  category: 'other',
  description: 'My instructions',
  fileName: 'funeral.docx',
};
const scan: Listed = { name: 'Scan', category: 'personal', description: null, fileName: 'reconstruction.png' };

function matching({ words, category }: { words: string; category: DocumentFilter }): Listed[] {
  const isMatch = wordTest(category, words) ?? (() => true);
  return [will, funeral, scan].filter((each) => isInFilter(each.category, category) && isMatch(each));
}

describe('A search of documents', () => {
  it.each([
    ['WILL', [will]],
    ['signed', [will]],
    ['scan', [will, scan]],
    ['  funeral.DOCX ', [funeral]],
    ['nothing like it', []],
    ['', [will, funeral, scan]],
  ])('looks for “%s” in name, description and file name, in any case', (words, found) => {
    expect(matching({ words, category: 'all' })).toEqual(found);
  });

  it('keeps to a category; instructions are known by their own words', () => {
    expect(matching({ words: '', category: 'legal' })).toEqual([will]);
    expect(matching({ words: '', category: 'personal' })).toEqual([scan]);
    expect(matching({ words: '', category: 'financial' })).toEqual([]);
    expect(matching({ words: '', category: 'instructions' })).toEqual([funeral]);
    expect(matching({ words: 'will', category: 'personal' })).toEqual([]);
  });

  it('needs no words of a document if nothing is searched for', () => {
    expect([wordTest('all', ' '), wordTest('legal', '')]).toEqual([null, null]);
  });
});

it('sorts names as people read numbers, and large files first', () => {
  const names = ['Will 10', 'will 2', 'Émile'].map((name) => ({ name }));
  expect(names.toSorted(documentOrders.name).map(({ name }) => name)).toEqual(['Émile', 'will 2', 'Will 10']);
  expect([{ fileSize: 1 }, { fileSize: 3 }].toSorted(documentOrders.largest)).toEqual([
    { fileSize: 3 },
    { fileSize: 1 },
  ]);
});
