import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBrowserReport, readVitestReport } from './test-reports.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everkept-reports-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function written(report: object): Promise<string> {
  const path = join(folder, 'report.json');
  await writeFile(path, JSON.stringify(report));
  return path;
}

const tests = [
  { duration: 24_000, timeoutMs: 240_000 },
  { duration: 24_001, timeoutMs: 240_000 },
  { duration: 24_001, timeoutMs: 0 },
];

describe('a report names each time-out below ten times the duration of its test', () => {
  test('in Vitest’s format', async () => {
    const assertionResults = tests.map(({ duration, timeoutMs }, index) => {
      return { fullName: `test ${index}`, status: 'passed', duration, meta: { timeoutMs } };
    });
    const report = { numPassedTests: 3, testResults: [{ name: 'a.test.ts', status: 'passed', assertionResults }] };
    expect((await readVitestReport(await written(report))).hasty).toEqual([
      'a.test.ts › test 1\n      took 24.0 s of the 240.0 s that it may take',
    ]);
  });

  test('in Playwright’s format', async () => {
    const specs = tests.map(({ duration, timeoutMs: timeout }, index) => {
      const journey = { status: 'expected', timeout, results: [{ duration: 999_999 }, { duration }] };
      return { title: `journey ${index}`, file: 'a.spec.ts', ok: true, tests: [journey] };
    });
    const report = { stats: { expected: 3, flaky: 0 }, suites: [{ specs }], errors: [] };
    expect((await readBrowserReport(await written(report))).hasty).toEqual([
      'a.spec.ts › journey 1\n      took 24.0 s of the 240.0 s that it may take',
    ]);
  });
});

test('a report lists the slowest files first, twelve at most', async () => {
  const testResults = Array.from({ length: 14 }, (_, index) => ({
    name: `${index}.test.ts`,
    status: 'passed',
    assertionResults: [1_000, index * 100, null].map((duration) => ({ fullName: 'a', status: 'passed', duration })),
  }));
  const { slowest } = await readVitestReport(await written({ numPassedTests: 42, testResults }));
  expect(slowest).toHaveLength(12);
  expect(slowest[0]).toBe('2.3 s 13.test.ts');
  expect(slowest.at(-1)).toBe('1.2 s 2.test.ts');
});
