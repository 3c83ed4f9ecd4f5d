import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulateApart } from '#tests/simulation/apart.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { databaseSabotages } from './database-sabotages.ts';
import { checkAll, sabotaged, type Verdict } from './sabotage.ts';
import { sabotages } from './sabotages.ts';

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.close())));

async function freshDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  return database.url;
}

const all = [...sabotages, ...databaseSabotages];

describe('a planted mistake', () => {
  let verdicts: Verdict[] = [];
  beforeAll(async () => {
    verdicts = await checkAll(all, freshDatabase);
  }, 1_800_000);

  test('is one of twenty at least', () => {
    expect(verdicts.length).toBeGreaterThanOrEqual(20);
  });

  test.each(all)('is found: $name', ({ name }) => {
    expect(verdicts.find((verdict) => verdict.name === name)).toMatchObject({ isCaught: true });
  });
});

describe('the lives in which a mistake of the database is found', () => {
  const scenarios = databaseSabotages.flatMap(({ caughtBy }) => (typeof caughtBy === 'string' ? [] : [caughtBy]));
  const different = new Map(scenarios.map((scenario) => [JSON.stringify(scenario), scenario]));

  test.each([...different.values()])('break nothing without it (seed $seed, $days days)', async (scenario) => {
    expect((await simulateApart(scenario, { database: await freshDatabase() })).broken).toEqual([]);
  });
});

describe('a mistake whose line is no longer there', () => {
  const sabotage = { name: 'off by one', file: 'a.ts', find: 'n + 1', put: 'n', caughtBy: 'a.test.ts' };

  test('is refused, and so is one that would be made twice', () => {
    expect(() => sabotaged('return n;', sabotage)).toThrow('stands 0 times');
    expect(() => sabotaged('return n + 1 + (n + 1);', sabotage)).toThrow('stands 2 times');
    expect(sabotaged('return n + 1;', sabotage)).toBe('return n;');
  });
});
