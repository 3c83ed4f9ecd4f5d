import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulateApart } from '#tests/simulation/apart.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { databaseSabotages } from './database-sabotages.ts';
import { checkAll, type Verdict } from './sabotage.ts';

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.close())));

async function freshDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  return database.url;
}

describe('a planted mistake in the content, time or author of writes', () => {
  let verdicts: Verdict[] = [];
  beforeAll(async () => {
    verdicts = await checkAll(databaseSabotages, freshDatabase);
  }, 1_800_000);

  test.each(databaseSabotages)('is found: $name', ({ name }) => {
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
