import { beforeAll, describe, expect, test } from 'vitest';
import { coreSabotages } from './core-sabotages.ts';
import { checkAll, sabotaged, type Verdict } from './sabotage.ts';
import { sabotages } from './sabotages.ts';

const noDatabase = () => Promise.reject(new Error('None of these needs a database.'));

const planted = [...sabotages, ...coreSabotages];

describe('a planted mistake', () => {
  let verdicts: Verdict[] = [];
  beforeAll(async () => {
    verdicts = await checkAll(planted, noDatabase);
  }, 1_800_000);

  test('is one of twenty at least', () => {
    expect(verdicts.length).toBeGreaterThanOrEqual(20);
  });

  test.each(planted)('is found: $name', ({ name }) => {
    expect(verdicts.find((verdict) => verdict.name === name)).toMatchObject({ isCaught: true });
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
