import { readFile } from 'node:fs/promises';

/**
 * Number of passes of a part of the tests. A line for each failure, pass after a retry, and time-out that is too short,
 * and for each of the files that took longest.
 */
export type Outcome = { passed: number; failures: string[]; unsteady: string[]; hasty: string[]; slowest: string[] };

/** Slowest files that a part names. */
const slowestMax = 12;

/** A time-out is at least this many times the duration of its test, because a busy machine may only make a test slow. */
const patienceFactor = 10;

type VitestReport = {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: VitestTest[];
  }[];
};

type VitestTest = {
  fullName: string;
  status: string;
  duration?: number | null;
  failureMessages?: string[] | null;
  meta?: { timeoutMs?: number };
};

type BrowserTest = {
  status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
  timeout?: number;
  results: { duration?: number; error?: { message?: string } }[];
};
type BrowserSuite = {
  suites?: BrowserSuite[];
  specs?: { title: string; file: string; ok: boolean; tests: BrowserTest[] }[];
};
type BrowserReport = {
  stats: { expected: number; flaky: number };
  suites: BrowserSuite[];
  errors: { message?: string }[];
};

/** Reads the JSON report of Vitest. A file that broke before its first test counts as one failure. */
export async function readVitestReport(path: string): Promise<Outcome> {
  const report = await readReport<VitestReport>(path);
  if (!report) return missing('Vitest');
  const failures = report.testResults.flatMap((file) => {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && file.status === 'failed') return [line(file.name, 'the file itself', file.message)];
    return failed.map((test) => line(file.name, test.fullName, test.failureMessages?.[0]));
  });
  const hasty = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ fullName, duration, meta }) =>
      hastyLine({ file: name, title: fullName, durationMs: duration, timeoutMs: meta?.timeoutMs }),
    ),
  );
  const slowest = slowestOf(
    report.testResults.map(({ name, assertionResults }) => ({ file: name, durations: assertionResults })),
  );
  return { passed: report.numPassedTests, failures, unsteady: [], hasty, slowest };
}

/** Reads the JSON report of Playwright. */
export async function readBrowserReport(path: string): Promise<Outcome> {
  const report = await readReport<BrowserReport>(path);
  if (!report) return missing('Playwright');
  const specs = specsOf(report.suites);
  const failures = [
    ...report.errors.map(({ message }) => line('journeys', 'before or after them', message)),
    ...specs
      .filter(({ ok }) => !ok)
      .map(({ file, title, tests }) => line(file, title, tests[0]?.results.at(-1)?.error?.message)),
  ];
  const unsteady = specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
    .map(({ file, title, tests }) => line(file, title, tests[0]?.results[0]?.error?.message));
  const hasty = specs.flatMap(({ file, title, tests }) =>
    tests.flatMap(({ timeout, results }) =>
      hastyLine({ file, title, durationMs: results.at(-1)?.duration, timeoutMs: timeout }),
    ),
  );
  const slowest = slowestOf(
    specs.map(({ file, tests }) => ({ file, durations: tests.flatMap(({ results }) => results) })),
  );
  return { passed: report.stats.expected + report.stats.flaky, failures, unsteady, hasty, slowest };
}

/** Returns the files with the longest tests in sum, slowest first. */
function slowestOf(files: { file: string; durations: { duration?: number | null }[] }[]): string[] {
  const sums = new Map<string, number>();
  for (const { file, durations } of files) {
    const ms = durations.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
    sums.set(file, (sums.get(file) ?? 0) + ms);
  }
  return [...sums]
    .sort(([, one], [, other]) => other - one)
    .slice(0, slowestMax)
    .map(([file, ms]) => `${seconds(ms)} ${file.replace(`${process.cwd()}/`, '')}`);
}

function specsOf(suites: BrowserSuite[]): NonNullable<BrowserSuite['specs']> {
  return suites.flatMap(({ specs = [], suites: inner = [] }) => [...specs, ...specsOf(inner)]);
}

/** Nothing that was to run may be missing: a report that is not there is a failure. */
function missing(tool: string): Outcome {
  const failures = [`${tool} left no report: it did not get as far as its first test.`];
  return { passed: 0, failures, unsteady: [], hasty: [], slowest: [] };
}

async function readReport<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

type Timed = { file: string; title: string; durationMs?: number | null | undefined; timeoutMs?: number | undefined };

/** A line for a test that used more than a tenth of its time-out. Zero is no time-out. */
function hastyLine({ file, title, durationMs, timeoutMs }: Timed): string[] {
  if (!durationMs || !timeoutMs || durationMs * patienceFactor <= timeoutMs) return [];
  return [line(file, title, `took ${seconds(durationMs)} of the ${seconds(timeoutMs)} that it may take`)];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Long enough to see what went wrong, short enough for a list. */
const reasonLength = 400;

function line(file: string, title: string, reason = ''): string {
  const where = file.replace(`${process.cwd()}/`, '');
  const plain = reason.replaceAll(new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g'), '');
  return `${where} › ${title}\n      ${plain.slice(0, reasonLength).replaceAll('\n', '\n      ')}`.trimEnd();
}
