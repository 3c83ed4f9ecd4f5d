import { expect, test } from 'vitest';
import { ownersOf, type Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';

test('a failing scenario is made smaller until only what it takes is left', async () => {
  // Fails on day 20, if two certain owners exist and crashes are switched on.
  const attempt = async (scenario: Scenario) => {
    const names = ownersOf(scenario).map(({ name }) => name);
    const breaks = names.includes('o3') && names.includes('o9') && !scenario.calm?.includes('crashes');
    return breaks && scenario.days >= 20 ? 19.5 : null;
  };
  const smallest = await shrink({ seed: 1, owners: 12, days: 300 }, attempt);
  expect(ownersOf(smallest).map(({ name }) => name)).toEqual(['o3', 'o9']);
  expect(ownersOf(smallest).flatMap(({ acts }) => acts)).toEqual([]);
  expect(smallest.days).toBe(20);
  expect(smallest.calm).toEqual(['duplicates', 'company', 'clock', 'faults']);
});
