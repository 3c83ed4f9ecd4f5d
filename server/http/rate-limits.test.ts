import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { rateLimits } from './limits.tables.ts';
import { changesLimitPerDay, createRateLimits, type RateLimits } from './rate-limits.ts';

let database: TestDatabase;
let nowMs = Date.UTC(2026, 10, 20);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const budget = { limit: 3, windowMs: 60_000 };
const limits = (generalLimit = 100) => createRateLimits({ db: database.db, generalLimit, nowMs: () => nowMs });

async function outcomes(work: () => Promise<void>, times: number): Promise<string[]> {
  const result = [];
  for (let count = 0; count < times; count += 1) {
    result.push(
      await work().then(
        () => 'ok',
        (error: { type: string }) => error.type,
      ),
    );
  }
  return result;
}

describe('a budget', () => {
  it('is shared by processes, and starts again when its window is over', async () => {
    const [one, two] = [limits(), limits()] as const;
    const spend = (process: RateLimits) => () => process.spendOfAddress('POST /api/login', '203.0.113.1', budget);
    expect(await outcomes(spend(one), 2)).toEqual(['ok', 'ok']);
    expect(await outcomes(spend(two), 2)).toEqual(['ok', 'RATE_LIMITED']);
    nowMs += 59_000;
    await expect(spend(one)()).rejects.toMatchObject({ type: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } });
    nowMs += 1_000;
    expect(await outcomes(spend(one), 4)).toEqual(['ok', 'ok', 'ok', 'RATE_LIMITED']);
  });

  it('is one for each name and each client', async () => {
    const one = limits();
    expect(await outcomes(() => one.spendOfAddress('a', '203.0.113.2', budget), 3)).not.toContain('RATE_LIMITED');
    expect(await outcomes(() => one.spendOfAddress('b', '203.0.113.2', budget), 3)).not.toContain('RATE_LIMITED');
    expect(await outcomes(() => one.spendOfAddress('a', '203.0.113.3', budget), 3)).not.toContain('RATE_LIMITED');
    expect(await outcomes(() => one.spendOfAddress('a', '::ffff:203.0.113.2', budget), 1)).toEqual(['RATE_LIMITED']);
  });

  it('lets exactly as many of many at once through', async () => {
    const [one, two] = [limits(), limits()] as const;
    const tries = Array.from({ length: 40 }, (_, count) => (count % 2 === 0 ? one : two).spend('at once', budget));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('is kept under a hash, and forgotten some time after its window', async () => {
    const one = limits();
    await one.spend('reset mail sam@people.example', budget);
    expect(JSON.stringify(await database.db.select().from(rateLimits))).not.toContain('sam@');
    nowMs += 120_000;
    for (let count = 0; count < 500; count += 1)
      await one.spend(`other ${count % 5}`, { limit: 1_000, windowMs: 60_000 });
    expect((await database.db.select().from(rateLimits)).length).toBeLessThanOrEqual(5);
  });
});

describe('the changes of an account', () => {
  it('are counted for a day, by all processes, and for each account by itself', async () => {
    const [one, two] = [limits(), limits()] as const;
    const all = await outcomes(() => one.spendChange('sam'), changesLimitPerDay + 1);
    expect(all.indexOf('RATE_LIMITED')).toBe(changesLimitPerDay);
    expect(await outcomes(() => two.spendChange('sam'), 30)).toContain('RATE_LIMITED');
    expect(await outcomes(() => one.spendChange('olive'), 1)).toEqual(['ok']);
    nowMs += 86_400_000;
    expect(await outcomes(() => one.spendChange('sam'), 30)).not.toContain('RATE_LIMITED');
  });
});

describe('the general budget', () => {
  it('is exact within a process and nearly so across two', async () => {
    const [one, two] = [limits(), limits()] as const;
    const first = await outcomes(() => one.spendGeneral('203.0.113.4'), 101);
    expect(first.indexOf('RATE_LIMITED')).toBe(100);
    const second = await outcomes(() => two.spendGeneral('203.0.113.4'), 30);
    expect(second.indexOf('RATE_LIMITED')).toBeGreaterThanOrEqual(24);
    expect(second.indexOf('RATE_LIMITED')).toBeLessThanOrEqual(25);
  });

  it('starts again with the next minute', async () => {
    const one = limits(10);
    expect(await outcomes(() => one.spendGeneral('203.0.113.5'), 11)).toContain('RATE_LIMITED');
    nowMs += 60_000;
    expect(await outcomes(() => one.spendGeneral('203.0.113.5'), 10)).not.toContain('RATE_LIMITED');
  });
});
