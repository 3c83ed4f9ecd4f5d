/** Runs the parts of `npm test` and `npm run prove`. Each either runs or fails: nothing is skipped for want of something. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './browser.ts';
import { atRealTime } from './clock/moved-clock.ts';
import { type Outcome, readBrowserReport, readVitestReport } from './test-reports.ts';

export type Part = {
  name: string;
  /** A tool of the packages, or `node`, and its arguments. */
  command: string[];
  /** Kind of tests that are counted individually. */
  counts?: 'vitest' | 'browser';
  /** Later parts depend on it, so its failure ends the run. */
  isNeeded?: true;
};

/** One after another, whatever fails, unless the rest needs it; the last line says how many passed and failed. */
export async function runParts(parts: readonly Part[]): Promise<void> {
  const reports = await mkdtemp(join(tmpdir(), 'everkept-test-'));
  const browserPath = parts.some(({ counts }) => counts === 'browser') ? await findBrowser() : '';
  const summary: string[] = [];
  const outcomes: Outcome[] = [];
  const slowest: string[] = [];
  const started = performance.now();
  for (const part of parts) {
    const startedMs = performance.now();
    const report = join(reports, `${summary.length}.json`);
    const isWell = await run(part, report, browserPath);
    summary.push(`${isWell ? 'ok    ' : 'FAILED'} ${part.name} (${secondsSince(startedMs)} s)`);
    const outcome = await outcomeOf(part, report, isWell);
    outcomes.push(outcome);
    if (outcome.slowest.length > 0) slowest.push(`${part.name}:`, ...outcome.slowest.map((one) => `    ${one}`));
    // Failures without a failed test: a hook, a leak, an unclean end.
    if (!isWell && outcome.failures.length === 0) outcome.failures.push(part.name);
    if (!isWell && part.isNeeded) break;
  }
  await rm(reports, { recursive: true, force: true });

  list('Slowest files, as sums of their tests, which run in parallel', slowest);
  // At the end, where they are still on the screen after thousands of lines.
  list(
    'Passed at the second try',
    outcomes.flatMap(({ unsteady }) => unsteady),
  );
  // No failure: on a busy machine every test takes longer than alone.
  list(
    'Time-outs below ten times the duration (raise them if the machine was quiet)',
    outcomes.flatMap(({ hasty }) => hasty),
  );
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  list('Failed', failures);
  console.log(`\n${summary.join('\n')}\n       all of it (${secondsSince(started)} s)\n`);
  console.log(`${outcomes.reduce((sum, { passed }) => sum + passed, 0)} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

async function outcomeOf({ counts }: Part, report: string, isWell: boolean): Promise<Outcome> {
  if (counts === 'vitest') return readVitestReport(report);
  if (counts === 'browser') return readBrowserReport(report);
  return { passed: isWell ? 1 : 0, failures: [], unsteady: [], hasty: [], slowest: [] };
}

function secondsSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1);
}

function list(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map((one) => `    ${one}`).join('\n')}`);
}

function run({ name, command: words, counts }: Part, report: string, browserPath: string): Promise<boolean> {
  console.log(`\n── ${name}`);
  const [tool = '', ...given] = words;
  const args =
    counts === 'vitest' ? [...given, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : given;
  const file = tool === 'node' ? process.execPath : join('node_modules', '.bin', tool);
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report, CHROMIUM_PATH: browserPath };
  return new Promise((resolve) => {
    const isBrowser = counts === 'browser';
    const command = isBrowser ? atRealTime(file, args) : { file, args };
    const child = spawn(command.file, command.args, { stdio: 'inherit', env: isBrowser ? env : process.env });
    child.on('error', (error) => {
      console.error(`${name} could not start: ${error.message}`);
      resolve(false);
    });
    child.on('close', (code) => resolve(code === 0));
  });
}
