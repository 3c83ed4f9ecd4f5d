import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from './run.ts';
import type { Scenario } from './scenario.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export type Outcome = Omit<Result, 'handed' | 'keys'>;

type Options = {
  /** The address of a database that has all tables and no rows. */
  database: string;
  /** Folder of the source to run: a copy may have a planted mistake. */
  folder?: string;
  /** More words for the command. */
  args?: readonly string[];
  /** After so long it is killed: nothing that is made up here takes as long. */
  limitMs?: number;
};

const limitMsDefault = 20 * 60_000;

/**
 * Runs a program in its own process group, and returns its output and exit.
 *
 * @throws if it exceeded its time and was killed with its children, because an endless loop reacts to nothing else.
 */
export async function runApart(
  args: readonly string[],
  { cwd, env = process.env, limitMs }: { cwd: string; env?: NodeJS.ProcessEnv; limitMs: number },
): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  let isKilled = false;
  const killing = setTimeout(() => {
    isKilled = true;
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  }, limitMs);
  try {
    await new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()));
  } finally {
    clearTimeout(killing);
  }
  if (isKilled) throw new Error(`It did not end within ${Math.round(limitMs / 1000)} seconds.`);
  return printed;
}

/**
 * Lives through a scenario in a process of its own, so that all of its randomness comes from the seed.
 *
 * @throws where the process ends without a word, or does not end: that would prove nothing.
 */
export async function simulateApart(
  scenario: Scenario,
  { database, folder = root, args = [], limitMs = limitMsDefault }: Options,
): Promise<Outcome> {
  const words = [
    // Most objects die within a moment: with a larger nursery, most are gone before a collection.
    '--max-semi-space-size=64',
    '--import',
    './tests/simulation/quick-modules.mjs',
    'tests/simulation/simulate.ts',
    '--scenario',
    JSON.stringify(scenario),
    '--database',
    database,
    ...args,
  ];
  // Reuses compiled code: a short run is mostly the start of its process.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') };
  const { stdout, stderr } = await runApart(words, { cwd: folder, env, limitMs });
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`The simulation told nothing. ${stderr}`);
  return JSON.parse(line) as Outcome;
}
