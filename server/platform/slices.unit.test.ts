import { expect, test } from 'vitest';
import { createSlices, mapInSlices, sortInSlices } from './slices.ts';

/** A clock that moves by one millisecond at each item. */
function ticking() {
  let nowMs = 0;
  const tick = () => {
    nowMs += 1;
  };
  return { now: () => nowMs, tick };
}

/** Counts the turns of the event loop until the work is done. */
async function turnsOf<Done>(work: Promise<Done>): Promise<{ turns: number; done: Done }> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    if (isDone) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const done = await work;
  isDone = true;
  return { turns, done };
}

test('work of many slices leaves the event loop after each of them', async () => {
  const clock = ticking();
  const items = Array.from({ length: 800 }, (_, index) => index);
  const double = (item: number) => {
    clock.tick();
    return item * 2;
  };
  const { turns, done } = await turnsOf(mapInSlices(items, double, createSlices(clock)));
  expect(done).toEqual(items.map((item) => item * 2));
  expect(turns).toBeGreaterThanOrEqual(99);
});

test('work of less than a slice ends in the same turn', async () => {
  const { turns, done } = await turnsOf(mapInSlices([1, 2, 3], (item) => item, createSlices({ now: () => 0 })));
  expect([turns, done]).toEqual([0, [1, 2, 3]]);
});

test('work stops at the end of a slice if its caller has left', async () => {
  const clock = ticking();
  const left = new AbortController();
  const acted: number[] = [];
  const act = (item: number) => {
    clock.tick();
    acted.push(item);
    left.abort(new Error('The caller has left.'));
  };
  const items = Array.from({ length: 800 }, (_, index) => index);
  const pause = createSlices({ now: clock.now, signal: left.signal });
  await expect(mapInSlices(items, act, pause)).rejects.toThrow('The caller has left.');
  expect(acted.length).toBeLessThan(20);
});

test('a sort in slices is the stable sort', async () => {
  const items = Array.from({ length: 5_003 }, (_, index) => ({ key: (index * 7919) % 613, index }));
  const byKey = (one: { key: number }, other: { key: number }) => one.key - other.key;
  expect(await sortInSlices(items, byKey)).toEqual(items.toSorted(byKey));
  expect(await sortInSlices([], byKey)).toEqual([]);
});
