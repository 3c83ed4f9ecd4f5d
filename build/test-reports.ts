import { readFile } from 'node:fs/promises';

/** What a part of the tests came to: how many passed, and a line for each that did not. */
export type Outcome = { passed: number; failures: string[] };

type VitestReport = {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] | null }[];
  }[];
};

type BrowserSuite = {
  suites?: BrowserSuite[];
  specs?: { title: string; file: string; ok: boolean; tests: { results: { error?: { message?: string } }[] }[] }[];
};
type BrowserReport = { stats: { expected: number }; suites: BrowserSuite[]; errors: { message?: string }[] };

/** Reads the JSON report of Vitest. A file that broke before its first test counts as one failure. */
export async function readVitestReport(path: string): Promise<Outcome> {
  const report = await readReport<VitestReport>(path);
  if (!report) return missing('Vitest');
  const failures = report.testResults.flatMap((file) => {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && file.status === 'failed') return [line(file.name, 'the file itself', file.message)];
    return failed.map((test) => line(file.name, test.fullName, test.failureMessages?.[0]));
  });
  return { passed: report.numPassedTests, failures };
}

/** Reads the JSON report of Playwright. */
export async function readBrowserReport(path: string): Promise<Outcome> {
  const report = await readReport<BrowserReport>(path);
  if (!report) return missing('Playwright');
  const failures = [
    ...report.errors.map(({ message }) => line('journeys', 'before or after them', message)),
    ...specsOf(report.suites)
      .filter(({ ok }) => !ok)
      .map(({ file, title, tests }) => line(file, title, tests[0]?.results.at(-1)?.error?.message)),
  ];
  return { passed: report.stats.expected, failures };
}

function specsOf(suites: BrowserSuite[]): NonNullable<BrowserSuite['specs']> {
  return suites.flatMap(({ specs = [], suites: inner = [] }) => [...specs, ...specsOf(inner)]);
}

/** Nothing that was to run may be missing: a report that is not there is a failure. */
function missing(tool: string): Outcome {
  return { passed: 0, failures: [`${tool} left no report: it did not get as far as its first test.`] };
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
