import { expect, test } from 'vitest';
import { readSources } from './sources.ts';

const sources = readSources();
const namesTimer = /\bsetInterval\b/;

/** Features, and the files that put them together. */
const isOfList = /^server\/(features\/.+|[^/]+)\.ts$/;

test('only the list of tasks repeats work: no feature and no root has a timer of its own', () => {
  const ours = sources.filter(({ path }) => isOfList.test(path));
  expect(ours.some(({ path }) => path === 'server/tasks.ts')).toBe(true);
  expect(ours.filter(({ text }) => namesTimer.test(text)).map(({ path }) => path)).toEqual([]);
});

test('a timer would be found, however it is imported', () => {
  for (const text of [
    "import { setInterval as every } from 'node:timers/promises';",
    'const t = setInterval(look, 5);',
  ])
    expect(namesTimer.test(text)).toBe(true);
});
