import { expect, test } from 'vitest';
import { well } from '#server/features/service-health/findings.rules.ts';
import { tried } from './findings.ts';

const mend = 'Look at it.';

test('a door that says nothing is a finding once its time is over, not a wait without end', async () => {
  const never = new Promise<never>(() => {});
  expect(await tried('store', mend, () => never, 20)).toEqual([
    { what: 'store', state: 'bad', found: 'Nothing came back within 0.02 seconds.', mend },
  ]);
  expect(await tried('store', mend, async () => well('store', 'It answers.'))).toEqual([well('store', 'It answers.')]);
});

test('a database that is full of connections is not said to be away', async () => {
  const full = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
  const [finding] = await tried('database', 'Start PostgreSQL.', () => Promise.reject(full));
  expect(finding?.found).toBe('PostgreSQL is running, and accepts no more connections (53300).');
  expect(finding?.mend).toContain('DATABASE_POOL_SIZE');
});
