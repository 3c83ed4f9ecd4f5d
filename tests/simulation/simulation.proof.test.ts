import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { type Outcome, simulateApart } from './apart.ts';
import { happenings, type Scenario } from './scenario.ts';

/** Shrunk scenarios in which a promise was broken once, each with a word on what it was. */
type Regression = { what: string; scenario: Scenario };
const regressions = JSON.parse(
  readFileSync(new URL('./regressions.json', import.meta.url), 'utf8'),
) as readonly Regression[];

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.close())));

async function simulate(scenario: Scenario): Promise<Outcome> {
  const database = await createTestDatabase();
  databases.push(database);
  return simulateApart(scenario, { database: database.url });
}

describe('years of made-up lives with the services of production', () => {
  /**
   * Few, since two cores have minutes: `npm run simulate -- --seed N --years 200` runs longer. In the last scenario
   * all owners fall silent on the first day and no restore interrupts, so that much happens after a release.
   */
  const installations: Scenario[] = [
    { seed: 1, owners: 12, days: 200, mailboxes: 'some', hasBrakes: true },
    { seed: 2, owners: 12, days: 200, mailboxes: 'some', hasBrakes: true },
    {
      seed: 4,
      owners: 11,
      days: 150,
      isMassSilence: true,
      calm: ['clock', 'faults'],
      also: ['second thoughts', 'new addresses', 'letters together', 'strangers', 'text replies', 'bounces'],
    },
  ];
  let outcomes: Outcome[] = [];
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, each) => total + of(each), 0);
  beforeAll(async () => {
    outcomes = await Promise.all(installations.map(simulate));
  }, 1_800_000);

  test('break no promise, whatever people and machines do', () => {
    expect(outcomes.flatMap(({ broken }) => broken)).toEqual([]);
  });

  test('are twenty, with releases and processes that were killed', () => {
    expect(sum(({ ownerYears }) => ownerYears)).toBeGreaterThanOrEqual(20);
    expect(sum(({ releases }) => releases)).toBeGreaterThan(5);
    expect(sum(({ killed }) => killed)).toBeGreaterThan(10);
  });

  test('are steps of the core alone, hundreds of them', () => {
    expect(sum(({ steps }) => steps)).toBeGreaterThan(200);
  });

  test.each(happenings)('know %s', (what) => {
    expect(sum(({ happened }) => happened[what])).toBeGreaterThan(0);
  });
});

describe('a seed', () => {
  test('gives the same trace each time, and another one gives another', async () => {
    const short: Scenario = { seed: 7, owners: 8, days: 40 };
    const [once, again, other] = await Promise.all([simulate(short), simulate(short), simulate({ ...short, seed: 8 })]);
    expect(again.trace).toBe(once.trace);
    expect(other.trace).not.toBe(once.trace);
  });
});

describe.runIf(regressions.length > 0)('former findings of a seed', () => {
  test.each(regressions)('$what stays fixed', async ({ scenario }) => {
    expect((await simulate(scenario)).broken).toEqual([]);
  });
});
