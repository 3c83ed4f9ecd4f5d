/**
 * Everything that has to hold before a change lands, in one command. Each part either runs or fails:
 * nothing is skipped because something was missing.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './browser.ts';
import { readBrowserReport, readVitestReport } from './test-reports.ts';

type Part = { name: string; command: string[]; env?: Record<string, string> };

const reports = await mkdtemp(join(tmpdir(), 'everkept-test-'));
const vitestReport = join(reports, 'vitest.json');
const browserReport = join(reports, 'browser.json');

const browserPath = await findBrowser();

const parts: Part[] = [
  { name: 'format and lint', command: ['biome', 'check', '.'] },
  { name: 'import rules', command: ['depcruise', '--config', '.dependency-cruiser.json', 'shared', 'server', 'web'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'unused code', command: ['knip'] },
  {
    name: 'unit, property, API and component tests',
    command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
  },
  { name: 'web build', command: ['node', 'build/build.ts'] },
  {
    name: 'journeys in the browser',
    command: ['playwright', 'test', '--reporter=list,json'],
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: browserReport, CHROMIUM_PATH: browserPath },
  },
];

const summary: string[] = [];
const failures: string[] = [];
for (const part of parts) {
  const startedMs = performance.now();
  const code = await run(part);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  summary.push(`${code === 0 ? 'ok    ' : 'FAILED'} ${part.name} (${seconds} s)`);
  if (code !== 0 && !part.command.some((word) => word === 'vitest' || word === 'playwright')) failures.push(part.name);
}

const outcomes = [await readVitestReport(vitestReport), await readBrowserReport(browserReport)];
await rm(reports, { recursive: true, force: true });
failures.push(...outcomes.flatMap((outcome) => outcome.failures));

// At the end, where they are still on the screen after thousands of lines.
list(
  'Passed at the second try',
  outcomes.flatMap(({ unsteady }) => unsteady),
);
list('Failed', failures);
console.log(`\n${summary.join('\n')}\n`);
console.log(`${outcomes.reduce((sum, { passed }) => sum + passed, 0)} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 && summary.every((line) => line.startsWith('ok')) ? 0 : 1;

function list(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map((one) => `    ${one}`).join('\n')}`);
}

function run(part: Part): Promise<number> {
  console.log(`\n── ${part.name}`);
  const [tool = '', ...args] = part.command;
  const file = tool === 'node' ? process.execPath : join('node_modules', '.bin', tool);
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...part.env } });
    child.on('error', (error) => {
      console.error(`${part.name} could not start: ${error.message}`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}
