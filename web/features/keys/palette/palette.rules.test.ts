import { describe, expect, it } from 'vitest';
import { countWords, foundIn, groupResultsMax, movedBy } from './palette.rules.ts';

const groupOf = (labels: readonly string[], isShownUnasked = false) => ({
  title: 'Letters',
  items: labels.map((label) => ({ label, note: 'nell@ashworth.example' })),
  isShownUnasked,
});
const labelsFor = (labels: readonly string[], words: string) =>
  foundIn([groupOf(labels)], words).flatMap(({ items }) => items.map(({ label }) => label));

describe('the palette', () => {
  it('finds items that hold every word, in any order, case and accent', () => {
    const labels = ['For Zoë, when it is time', 'For Nell'];
    expect(labelsFor(labels, 'TIME zoe')).toEqual(['For Zoë, when it is time']);
    expect(labelsFor(labels, 'zoe tin')).toEqual([]);
    expect(labelsFor(labels, 'ashworth')).toEqual(labels);
  });

  it('finds a straight apostrophe for a curly one', () => {
    expect(labelsFor(['I’m still here'], "i'm")).toEqual(['I’m still here']);
  });

  it('gives at most eight results of a group', () => {
    const labels = Array.from({ length: groupResultsMax + 1 }, (_, number) => `For Nell ${number}`);
    expect(labelsFor(labels, 'nell')).toEqual(labels.slice(0, groupResultsMax));
    expect(groupResultsMax).toBe(8);
  });

  it('shows nothing of the vault before a word is typed', () => {
    expect(foundIn([groupOf(['For Nell'])], '  ')).toEqual([]);
    expect(foundIn([groupOf(['Dashboard'], true)], '  ')).toHaveLength(1);
  });
});

describe('a key in the results', () => {
  it('moves along a ring, and to both ends', () => {
    expect(movedBy('ArrowDown', 2, 3)).toBe(0);
    expect(movedBy('ArrowUp', 0, 3)).toBe(2);
    expect(movedBy('Home', 2, 3)).toBe(0);
    expect(movedBy('End', 0, 3)).toBe(2);
  });

  it('moves nowhere in an empty list, or if it is another key', () => {
    expect(movedBy('ArrowDown', 0, 0)).toBeNull();
    expect(movedBy('a', 0, 3)).toBeNull();
  });
});

it('the number of results is said in words', () => {
  expect([0, 1, 2].map(countWords)).toEqual(['Nothing was found. Try fewer or other words.', '1 result', '2 results']);
});
