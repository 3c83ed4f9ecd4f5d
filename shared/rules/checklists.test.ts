import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ChecklistState,
  isSameChecklist,
  mergeChecklists,
  notAfter,
  rememberedItemsMax,
  untouchedChecklist,
} from './checklists.ts';

const texts = fc.constantFrom('List the pensions', 'Feed the cat', 'Tell Priya');
const changedAtMs = fc.nat(20);
const states: fc.Arbitrary<ChecklistState> = fc
  .record({
    customItems: fc.array(fc.record({ text: texts, isListed: fc.boolean(), changedAtMs })),
    completedItems: fc.array(fc.record({ text: texts, isCompleted: fc.boolean(), changedAtMs })),
    resetAtMs: fc.nat(10),
  })
  .map((state) => mergeChecklists(state, untouchedChecklist));

const tick = (text: string, changedAtMs: number, isCompleted = true): ChecklistState => ({
  ...untouchedChecklist,
  completedItems: [{ text, isCompleted, changedAtMs }],
});

test('two devices come to the same list, whichever is heard first', () => {
  fc.assert(
    fc.property(states, states, states, (a, b, c) => {
      expect(mergeChecklists(a, b)).toEqual(mergeChecklists(b, a));
      expect(mergeChecklists(mergeChecklists(a, b), c)).toEqual(mergeChecklists(a, mergeChecklists(b, c)));
      expect(mergeChecklists(a, a)).toEqual(a);
    }),
  );
});

test('the newest change of an item counts, and other items stay as they are', () => {
  const merged = mergeChecklists(tick('Feed the cat', 5, false), tick('Feed the cat', 4));
  expect(merged.completedItems).toEqual([{ text: 'Feed the cat', isCompleted: false, changedAtMs: 5 }]);
  expect(mergeChecklists(merged, tick('Tell Priya', 1)).completedItems).toHaveLength(2);
});

test('a reset undoes earlier changes on every device, and no later ones', () => {
  const reset = { ...untouchedChecklist, resetAtMs: 5 };
  expect(mergeChecklists(tick('Feed the cat', 5), reset)).toEqual(reset);
  expect(mergeChecklists(reset, tick('Feed the cat', 6)).completedItems).toHaveLength(1);
});

test('a fast clock is set back, and a reset stays before the changes after it', () => {
  const state = { ...tick('Feed the cat', 900), resetAtMs: 800 };
  const set = notAfter(state, 100);
  expect(set).toEqual({ ...tick('Feed the cat', 100), resetAtMs: 99 });
  expect(mergeChecklists(set, untouchedChecklist)).toEqual(set);
});

test('no more changes are remembered than fit, and the newest stay', () => {
  const many = Array.from({ length: rememberedItemsMax + 5 }, (_, at) => ({
    text: `Item ${at}`,
    isListed: true,
    changedAtMs: at + 1,
  }));
  const merged = mergeChecklists({ ...untouchedChecklist, customItems: many }, untouchedChecklist);
  expect(merged.customItems).toHaveLength(rememberedItemsMax);
  expect(merged.customItems[0]?.text).toBe('Item 5');
});

test('two lists are the same where they show the same, whenever it was ticked', () => {
  expect(isSameChecklist(tick('Feed the cat', 1), tick('Feed the cat', 9))).toBe(true);
  expect(isSameChecklist(tick('Feed the cat', 1, false), untouchedChecklist)).toBe(true);
  expect(isSameChecklist(tick('Feed the cat', 1), untouchedChecklist)).toBe(false);
});
