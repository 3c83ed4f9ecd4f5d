import { readFile } from 'node:fs/promises';

/** Result of a part of the tests: number of passes, and a line for each failure and for each pass after a retry. */
export type Outcome = { passed: number; failures: string[]; unsteady: string[] };

type VitestReport = {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] | null }[];
  }[];
};

type BrowserTest = {
  status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
  results: { error?: { message?: string } }[];
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
  return { passed: report.numPassedTests, failures, unsteady: [] };
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
  return { passed: report.stats.expected + report.stats.flaky, failures, unsteady };
}

function specsOf(suites: BrowserSuite[]): NonNullable<BrowserSuite['specs']> {
  return suites.flatMap(({ specs = [], suites: inner = [] }) => [...specs, ...specsOf(inner)]);
}

/** Nothing that was to run may be missing: a report that is not there is a failure. */
function missing(tool: string): Outcome {
  const failures = [`${tool} left no report: it did not get as far as its first test.`];
  return { passed: 0, failures, unsteady: [] };
}

async function readReport<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Long enough to see what went wrong, short enough for a list. */
const reasonLength = 400;

function line(file: string, title: string, reason = ''): string {
  const where = file.replace(`${process.cwd()}/`, '');
  const plain = reason.replaceAll(new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g'), '');
  return `${where} › ${title}\n      ${plain.slice(0, reasonLength).replaceAll('\n', '\n      ')}`.trimEnd();
}
