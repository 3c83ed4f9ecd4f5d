import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import type { Scenario } from './scenario.ts';

/** Shrunk scenarios in which a promise was broken once, each with a word on what it was. */
type Regression = { what: string; scenario: Scenario };
const regressions = JSON.parse(
  readFileSync(new URL('./regressions.json', import.meta.url), 'utf8'),
) as readonly Regression[];

type Outcome = { broken: string[]; trace: string; ownerYears: number; releases: number; killed: number };

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.close())));

/** A process of its own: all of its randomness comes from the seed. */
async function simulate(scenario: Scenario): Promise<Outcome> {
  const database = await createTestDatabase();
  databases.push(database);
  const args = ['tests/simulation/simulate.ts', '--scenario', JSON.stringify(scenario), '--database', database.url];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      const line = stdout.trim().split('\n').at(-1) ?? '';
      if (line.startsWith('{')) resolve(JSON.parse(line) as Outcome);
      else reject(new Error(`The simulation told nothing. ${stderr} ${error?.message ?? ''}`));
    });
  });
}

describe('years of made-up lives with the services of production', () => {
  /** Two at a time, one for each core. `npm run simulate -- --seed N --years 200` goes on for longer. */
  const installations = [
    { seed: 1, owners: 24, days: 250 },
    { seed: 2, owners: 24, days: 250 },
  ];
  let outcomes: Outcome[] = [];
  beforeAll(async () => {
    outcomes = await Promise.all(installations.map(simulate));
  }, 900_000);

  test('break no promise, whatever people and machines do', () => {
    expect(outcomes.flatMap(({ broken }) => broken)).toEqual([]);
  });

  test('are more than thirty, with releases and processes that were killed', () => {
    const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, each) => total + of(each), 0);
    expect(sum(({ ownerYears }) => ownerYears)).toBeGreaterThanOrEqual(30);
    expect(sum(({ releases }) => releases)).toBeGreaterThan(10);
    expect(sum(({ killed }) => killed)).toBeGreaterThan(10);
  });
});

describe('a seed', () => {
  test('gives the same trace each time, and another one gives another', async () => {
    const short = { seed: 7, owners: 2, days: 50 };
    const [once, again, other] = await Promise.all([simulate(short), simulate(short), simulate({ ...short, seed: 8 })]);
    expect(again.trace).toBe(once.trace);
    expect(other.trace).not.toBe(once.trace);
  });
});

describe.runIf(regressions.length > 0)('what a seed has found once', () => {
  test.each(regressions)('$what stays mended', async ({ scenario }) => {
    expect((await simulate(scenario)).broken).toEqual([]);
  });
});
