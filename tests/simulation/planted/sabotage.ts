import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runApart, simulateApart } from '#tests/simulation/apart.ts';
import type { Scenario } from '#tests/simulation/scenario.ts';
import type { Sabotage } from './sabotages.ts';

/** Time-out of a two-second check whose mistake is known to be endless. */
const endlessAfterMs = 30_000;

const copied = ['server', 'shared', 'tests', 'migrations', 'package.json', 'tsconfig.json', 'vitest.config.ts'];

/** A mistake can make a loop endless: a run without an end is killed, and counts as not found. */
const limitMs = 180_000;

/** `found`: the tests that failed, or the promises that were broken. */
export type Verdict = { name: string; caughtBy: string; isCaught: boolean; found: string[]; seconds: number };
/** The address of a database that has all tables and no rows. */
export type FreshDatabase = () => Promise<string>;

type Workbench = {
  /** Puts one mistake in, runs the check that has to find it, and takes the mistake out again. */
  check(sabotage: Sabotage): Promise<Verdict>;
  close(): Promise<void>;
};

/** A copy of the source in which mistakes can be made. */
async function openWorkbench(freshDatabase: FreshDatabase): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-sabotage-'));
  for (const name of copied) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));

  async function broken(scenario: Scenario): Promise<string[]> {
    return (await simulateApart(scenario, { folder, database: await freshDatabase(), args: ['--first'], limitMs }))
      .broken;
  }

  return {
    async check(sabotage) {
      const path = join(folder, sabotage.file);
      const source = await readFile(path, 'utf8');
      await writeFile(path, sabotaged(source, sabotage));
      const started = performance.now();
      try {
        const { name, caughtBy } = sabotage;
        const isTest = typeof caughtBy === 'string';
        const check = isTest ? failedTests(folder, sabotage, caughtBy) : broken(caughtBy);
        const { found, isCaught } = await run(check);
        const seconds = Math.round((performance.now() - started) / 1000);
        return { name, caughtBy: isTest ? caughtBy : 'simulation', isCaught, found, seconds };
      } finally {
        await writeFile(path, source);
      }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** @throws where the line is no longer there, or there twice: then the mistake would be another one, or none. */
export function sabotaged(source: string, { name, file, find, put }: Sabotage): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`"${name}": the line to change stands ${places} times in ${file}.`);
  return source.replace(find, () => put);
}

async function run(check: Promise<string[]>): Promise<Pick<Verdict, 'found' | 'isCaught'>> {
  try {
    const found = await check;
    return { found, isCaught: found.length > 0 };
  } catch (error) {
    // The run reported no fault: it failed to load, printed nothing, or did not end.
    return { found: [String(error)], isCaught: false };
  }
}

type Report = { testResults: { assertionResults: { status: string; title: string }[] }[] };

/**
 * Names of the tests that failed. A file that cannot even be loaded has none: that would prove nothing.
 *
 * @throws where the check was killed, or ended without a word, and was not expected to.
 */
async function failedTests(folder: string, { isEndless }: Sabotage, file: string): Promise<string[]> {
  const kinds = { rules: 'unit', unit: 'unit', proof: 'proof' } as const;
  const project = kinds[/\.(rules|unit|proof)\.test\.ts$/.exec(file)?.[1] as keyof typeof kinds] ?? 'api';
  const report = join(folder, 'report.json');
  await rm(report, { force: true });
  const args = ['run', '--project', project, file, '--bail', '1', '--reporter=json', `--outputFile=${report}`];
  const command = [join(folder, 'node_modules/vitest/vitest.mjs'), ...args];
  const run = runApart(command, { cwd: folder, limitMs: isEndless ? endlessAfterMs : limitMs });
  // Killed after its time, or because its memory was full, it has told nothing.
  if (
    isEndless &&
    (await run.then(
      () => existsSync(report),
      () => false,
    )) === false
  )
    return ['It comes to no end.'];
  await run;
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ status, title }) => (status === 'failed' ? [title] : []));
}

/** Two at a time, each at a bench of its own. */
export async function checkAll(sabotages: readonly Sabotage[], freshDatabase: FreshDatabase): Promise<Verdict[]> {
  const left = [...sabotages];
  const verdicts: Verdict[] = [];
  const lane = async () => {
    const bench = await openWorkbench(freshDatabase);
    try {
      for (let next = left.shift(); next; next = left.shift()) verdicts.push(await bench.check(next));
    } finally {
      await bench.close();
    }
  };
  await Promise.all([lane(), lane()]);
  return verdicts;
}
