import { describe, expect, test } from 'vitest';
import { readSources } from './sources.ts';

/**
 * A busy machine makes a test slow, and must not make it fail. So no test sets a time-out below those of the projects, which are at least
 * ten times what a test or a wait takes alone. `npm test` lists the time-outs that turn out to be too short.
 */
const tests = readSources().filter(
  ({ path }) => /\.(test|spec)\.tsx?$/.test(path) && path !== 'tests/architecture/time-outs.test.ts',
);

/** Time-out of a wait in a test, from `vitest.config.ts`. */
const waitMs = 300_000;
/** Time-out of a test. */
const testMs = 600_000;
/** Vitest's own wait, which ends after a second. `expect.poll` has the time-out of the project. */
const shortWait = /\bvi\.waitFor\(|\bvi\.waitUntil\(/;
const waitTimeout = /\{ timeout: ([\d_]+) \}\)/g;
const testTimeout = /^ *\}, ([\d_]{4,})\);$|, \{ timeout: ([\d_]+) \}, (?:async )?\(/gm;

function shorterThan(limitMs: number, pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].flatMap(([found, ...given]) => {
    const ms = Number((given.find(Boolean) ?? '').replaceAll('_', ''));
    return ms < limitMs ? [found.trim()] : [];
  });
}

function findShort(text: string): string[] {
  return [
    ...(shortWait.exec(text) ?? []),
    ...shorterThan(waitMs, waitTimeout, text),
    ...shorterThan(testMs, testTimeout, text),
  ];
}

/** Waits inside of `toPass`, which tries again until its journey ends. */
const retried = [
  'tests/e2e/documents.spec.ts: { timeout: 2_000 })',
  'tests/e2e/first-weeks.spec.ts: { timeout: 3_000 })',
];

describe('time-outs of tests', () => {
  test('none is shorter than that of its project', () => {
    expect(tests.length).toBeGreaterThan(100);
    const short = tests.flatMap(({ path, text }) => findShort(text).map((found) => `${path}: ${found}`));
    expect(short.filter((each) => !retried.includes(each))).toEqual([]);
  });

  test.each([
    'await vi.waitFor(() => expect(rows).toHaveLength(1));',
    'await expect.poll(() => rows, { timeout: 60_000 }).toEqual([]);',
    'await screen.findByText(words, undefined, { timeout: 5_000 });',
    'test("has one winner", async () => {\n  }, 60_000);',
    'test("has one winner", { timeout: 60_000 }, async () => {});',
  ])('%j would be found', (code) => {
    expect(findShort(code)).toHaveLength(1);
  });

  test.each(['test("simulates a year", async () => {\n  }, 1_800_000);', 'await expect.poll(() => rows).toEqual([]);'])(
    '%j is not found',
    (code) => {
      expect(findShort(code)).toEqual([]);
    },
  );
});
