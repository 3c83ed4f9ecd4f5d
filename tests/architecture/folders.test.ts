import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { readSources, type Source } from './sources.ts';

const isTest = /\.(test|spec|fixture|test-world)\.tsx?$/;
const sources = readSources().filter(({ path }) => !isTest.test(path));

/** A folder that is found at a glance. */
const filesMax = 25;

test(`a folder holds ${filesMax} files at most, tests beside them not counted`, () => {
  const counts = Map.groupBy(sources, ({ path }) => dirname(path));
  const found = [...counts].map(([folder, files]) => [folder, files.length] as const);
  expect(found.filter(([, files]) => files > filesMax)).toEqual([]);
});

/** Features and layers, each with its inner folders. */
const places = /^(?:(?:server|web)\/(?:features|components)\/[^/]+|(?:server|shared|web|tests)\/[^/]+|build)\//;

function placeOf(path: string): string | null {
  return places.exec(path)?.[0] ?? null;
}

function targetsOf({ path, text }: Source): string[] {
  const imported = /\b(?:from|import)\s*\(?'(#(?:server|shared|web|tests|build)\/[^']+|\.\.?\/[^']+)'/g;
  return [...text.matchAll(imported)].map(([, one = '']) =>
    one.startsWith('#') ? one.slice(1) : normalize(join(dirname(path), one)),
  );
}

/** Each way round by which folders need each other. */
function circles(files: readonly Source[]): string[][] {
  const needs = new Map<string, Set<string>>();
  for (const file of files) {
    const from = placeOf(file.path);
    if (!from) continue;
    const all = needs.get(from) ?? new Set();
    for (const to of targetsOf(file).map(placeOf)) if (to && to !== from) all.add(to);
    needs.set(from, all);
  }
  const reach = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of needs.get(from) ?? []) if (!seen.has(to)) reach(to, seen.add(to));
    return seen;
  };
  const reached = new Map([...needs.keys()].map((place) => [place, reach(place)]));
  const together = (one: string, other: string) => reached.get(one)?.has(other) && reached.get(other)?.has(one);
  return [...needs.keys()]
    .filter((place) => together(place, place))
    .map((place) => [...needs.keys()].filter((other) => together(place, other)).toSorted());
}

/** Accepted circles. Add none, and remove one once it is opened. */
const knownCircles = ['web/components/fresh-sign-in/ web/components/ui/'];

test('no circle of folders: of two features one stands below the other', () => {
  expect(sources.filter(({ path }) => placeOf(path)).length).toBeGreaterThan(500);
  const found = new Set(circles(sources).map((places) => places.join(' ')));
  expect([...found]).toEqual(knownCircles);
});

test('a circle would be found, also one that goes through a third folder', () => {
  const file = (feature: string, needs: string): Source => ({
    path: `server/features/${feature}/${feature}.service.ts`,
    text: `import type { T } from '#server/features/${needs}/${needs}.service.ts';`,
  });
  const planted = [
    file('messages', 'contacts'),
    file('contacts', 'audit'),
    file('audit', 'messages'),
    file('files', 'audit'),
  ];
  expect(new Set(circles(planted).flat())).toEqual(
    new Set(['server/features/messages/', 'server/features/contacts/', 'server/features/audit/']),
  );
});
