import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from './run.ts';
import type { Scenario } from './scenario.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export type Outcome = Omit<Result, 'handed' | 'keys'>;

type Options = {
  /** The address of a database that has all tables and no rows. */
  database: string;
  /** Where the source is that is run: a copy may have a mistake in it. */
  folder?: string;
  /** More words for the command. */
  args?: readonly string[];
};

/**
 * Lives through a scenario in a process of its own, so that all of its randomness comes from the seed.
 * @throws where the process ends without a word: that would prove nothing.
 */
export async function simulateApart(
  scenario: Scenario,
  { database, folder = root, args = [] }: Options,
): Promise<Outcome> {
  const words = [
    // Nothing of a moment outlives it: with more room for what is new, most of it is gone before it is looked at.
    '--max-semi-space-size=64',
    '--import',
    './tests/simulation/quick-modules.mjs',
    'tests/simulation/simulate.ts',
    '--scenario',
    JSON.stringify(scenario),
    '--database',
    database,
  ];
  // What has been compiled once need not be again: a short run is mostly the start of its process.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...words, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      const line = stdout.trim().split('\n').at(-1) ?? '';
      if (line.startsWith('{')) resolve(JSON.parse(line) as Outcome);
      else reject(new Error(`The simulation told nothing. ${stderr} ${error?.message ?? ''}`));
    });
  });
}
