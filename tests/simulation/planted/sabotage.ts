import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, simulateApart } from '#tests/simulation/apart.ts';
import type { Sabotage } from './sabotages.ts';

/** Of a check that takes two seconds, where the mistake is known to have no end. */
const endlessAfterMs = 30_000;
/** However slow the machine is. */
const hangsAfterMs = 600_000;

const copied = ['server', 'shared', 'tests', 'migrations', 'package.json', 'tsconfig.json', 'vitest.config.ts'];

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

  return {
    async check(sabotage) {
      const path = join(folder, sabotage.file);
      const source = await readFile(path, 'utf8');
      await writeFile(path, sabotaged(source, sabotage));
      const started = performance.now();
      try {
        const { name, caughtBy } = sabotage;
        const isTest = typeof caughtBy === 'string';
        const found = isTest
          ? await failedTests(folder, sabotage, caughtBy)
          : (await simulateApart(caughtBy, { folder, database: await freshDatabase(), args: ['--first'] })).broken;
        const seconds = Math.round((performance.now() - started) / 1000);
        return { name, caughtBy: isTest ? caughtBy : 'simulation', isCaught: found.length > 0, found, seconds };
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

type Report = { testResults: { assertionResults: { status: string; title: string }[] }[] };

/**
 * Names of the tests that failed. A file that cannot even be loaded has none: that would prove nothing. The check has a process
 * of its own, which is killed where it takes as long as no check does.
 *
 * @throws where it was killed, or ended without a word, and was not expected to.
 */
async function failedTests(folder: string, { name, isEndless }: Sabotage, file: string): Promise<string[]> {
  const project = /\.(rules|unit)\.test\.ts$/.test(file) ? 'unit' : 'api';
  const report = join(folder, 'report.json');
  await rm(report, { force: true });
  const args = ['run', '--project', project, file, '--bail', '1', '--reporter=json', `--outputFile=${report}`];
  // Of what grows without end it has had enough before the machine has.
  const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=1024' };
  const limits = {
    cwd: folder,
    env,
    timeout: isEndless ? endlessAfterMs : hangsAfterMs,
    killSignal: 'SIGKILL',
  } as const;
  await new Promise<void>((resolve) => {
    execFile(join(folder, 'node_modules/.bin/vitest'), args, limits, () => resolve());
  });
  const written = await readFile(report, 'utf8').catch(() => null);
  if (written === null) {
    if (isEndless) return ['It comes to no end.'];
    throw new Error(`"${name}": what should find it ended without a word.`);
  }
  const { testResults } = JSON.parse(written) as Report;
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
