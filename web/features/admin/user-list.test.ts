import { describe, expect, it } from 'vitest';
import { chartBars, chartSize, chartTop } from './revenue-chart.rules.ts';
import { nameOf, sortChoiceOf, sortChoices, withSelected } from './user-list.rules.ts';

describe('the selection', () => {
  const [ann, ben] = [
    { id: '1', email: 'ann@people.example' },
    { id: '2', email: 'ben@people.example' },
  ] as const;

  it('is added to and taken from, and never counted twice', () => {
    const both = withSelected(withSelected(new Map(), [ann], true), [ann, ben], true);
    expect([...both.values()]).toEqual([ann.email, ben.email]);
    expect([...withSelected(both, [ann], false).keys()]).toEqual(['2']);
    expect(both.size).toBe(2);
  });
});

describe('a user', () => {
  it('is named, or shown by the address', () => {
    expect(nameOf({ firstName: 'Ann', lastName: 'Lee', email: 'a@b.example' })).toBe('Ann Lee');
    expect(nameOf({ firstName: null, lastName: null, email: 'a@b.example' })).toBe('a@b.example');
  });

  it('is sorted newest first where nothing else is chosen', () => {
    expect(sortChoiceOf('nonsense')).toBe(sortChoices[0]);
    expect(sortChoiceOf('silent')).toMatchObject({ sort: 'lastCheckinAt', direction: 'asc' });
  });
});

describe('the chart of the revenue', () => {
  it.each([
    [[], 0],
    [[0, 0], 0],
    [[4.99], 5],
    [[99.99, 120], 200],
    [[501], 1000],
  ])('a page of %o reaches to %i', (values, top) => expect(chartTop(values)).toBe(top));

  it('keeps every bar within the drawing, as high as its share', () => {
    const bars = chartBars([0, 0.01, 50, 100, -5]);
    expect(bars.map(({ height }) => height)).toEqual([0, 1, 50, 100, 0]);
    for (const { x, y, width, height } of bars) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(chartSize.width);
      expect(y + height).toBe(chartSize.height);
    }
  });
});
