/**
 * Everything that has to hold before a change lands, in one command. Each part either runs or fails:
 * nothing is skipped because something was missing.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './browser.ts';

type Part = { name: string; command: string[]; env?: Record<string, string> };
type Count = { passed: number; failed: number };

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

const total: Count = { passed: 0, failed: 0 };
const summary: string[] = [];
for (const part of parts) {
  const startedMs = performance.now();
  const code = await run(part);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  summary.push(`${code === 0 ? 'ok    ' : 'FAILED'} ${part.name} (${seconds} s)`);
  if (code !== 0 && !part.command.some((word) => word === 'vitest' || word === 'playwright')) total.failed += 1;
}

await addVitest(vitestReport);
await addPlaywright(browserReport);
await rm(reports, { recursive: true, force: true });

console.log(`\n${summary.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && summary.every((line) => line.startsWith('ok')) ? 0 : 1;

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

/** A report that is missing counts as a failure: the part did not get as far as its first test. */
async function addVitest(path: string): Promise<void> {
  if (!existsSync(path)) {
    total.failed += 1;
    return;
  }
  const report = JSON.parse(await readFile(path, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    numFailedTestSuites: number;
  };
  total.passed += report.numPassedTests;
  total.failed += Math.max(report.numFailedTests, report.numFailedTestSuites);
}

async function addPlaywright(path: string): Promise<void> {
  if (!existsSync(path)) {
    total.failed += 1;
    return;
  }
  const report = JSON.parse(await readFile(path, 'utf8')) as { stats: { expected: number; unexpected: number } };
  total.passed += report.stats.expected;
  total.failed += report.stats.unexpected;
}
