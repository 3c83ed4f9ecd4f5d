import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { createMemoryQueue } from './memory-queue.ts';
import { createPgBossQueue } from './pg-boss-queue.ts';
import { type JobData, type Queue, wakeUpPolicy } from './queue.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const jobs = [{ name: 'test.wake', policy: { ...wakeUpPolicy, retryDelaySeconds: 1, retryDelayMaxSeconds: 1 } }];
const errors: Error[] = [];

async function openPgBoss(): Promise<Queue> {
  const queue = createPgBossQueue({ pool: database.pool, jobs, onError: (error) => errors.push(error) });
  onTestFinished(() => queue.stop());
  return queue;
}

const options = { batchSize: 20, pollingSeconds: 0.5 };

const drivers: [string, () => Promise<{ queue: Queue; run: () => Promise<unknown> }>][] = [
  ['pg-boss', async () => ({ queue: await openPgBoss(), run: async () => {} })],
  [
    'memory',
    async () => {
      const queue = createMemoryQueue();
      return { queue, run: queue.drain };
    },
  ],
];

describe.each(drivers)('the %s queue', (_, open) => {
  it('hands every wake-up of a committed transaction to the handler, many at once', async () => {
    const { queue, run } = await open();
    const seen: JobData[] = [];
    let calls = 0;
    await queue.work('test.wake', options, async (batch) => {
      calls += 1;
      seen.push(...batch);
    });
    await queue.start();
    await database.db.transaction(async (tx) => {
      for (let id = 0; id < 30; id += 1) await queue.wake(tx, 'test.wake', { id: String(id) });
    });
    await run();

    await expect.poll(() => seen.length, { timeout: 60_000 }).toBe(30);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(30);
    expect(calls).toBeLessThan(30);
    await queue.stop();
  });
});

describe('the pg-boss queue', () => {
  it('forgets the wake-ups of a transaction that was rolled back', async () => {
    const queue = await openPgBoss();
    await queue.start();
    const rolledBack = database.db.transaction(async (tx) => {
      await queue.wake(tx, 'test.wake', { id: 'rolled-back' });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    const { rows } = await database.db.execute(sql`select 1 from jobs.job where data->>'id' = 'rolled-back'`);
    expect(rows).toEqual([]);
  });

  it('gives a batch back when its handler throws', async () => {
    const queue = await openPgBoss();
    const seen: string[] = [];
    await queue.work('test.wake', options, async (batch) => {
      seen.push(...batch.map(({ id }) => id ?? ''));
      if (seen.length === 1) throw new Error('not yet');
    });
    await queue.start();
    await queue.wake(database.db, 'test.wake', { id: 'again' });
    await expect.poll(() => seen, { timeout: 60_000 }).toEqual(['again', 'again']);
  });

  it('keeps to its own policy and not to the defaults of the library, also for a queue of an earlier release', async () => {
    const queue = await openPgBoss();
    await queue.start();
    await database.db.execute(
      sql`update jobs.queue set retry_limit = 0, deletion_seconds = 1 where name = 'test.wake'`,
    );
    const next = await openPgBoss();
    await next.start();
    const { rows } = await database.db.execute(sql`
      select policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds, deletion_seconds
      from jobs.queue where name = 'test.wake'`);
    expect(rows).toEqual([
      {
        policy: 'standard',
        retry_limit: wakeUpPolicy.retryLimit,
        retry_delay: 1,
        retry_backoff: true,
        expire_seconds: wakeUpPolicy.expireSeconds,
        retention_seconds: wakeUpPolicy.retentionSeconds,
        deletion_seconds: wakeUpPolicy.deleteAfterSeconds,
      },
    ]);
  });

  it('can be started by two processes at once, one of which only asks', async () => {
    const [worker, web] = [await openPgBoss(), await openPgBoss()];
    const seen: JobData[] = [];
    await worker.work('test.wake', options, async (batch) => {
      seen.push(...batch);
    });
    await Promise.all([worker.start(), web.start()]);
    await web.wake(database.db, 'test.wake', { id: 'from the other' });
    await expect.poll(() => seen, { timeout: 60_000 }).toContainEqual({ id: 'from the other' });
  });

  it('refuses an undeclared job', async () => {
    const queue = await openPgBoss();
    await expect(queue.wake(database.db, 'test.unknown', {})).rejects.toThrow('not declared');
    await expect(queue.work('test.unknown', options, async () => {})).rejects.toThrow('not declared');
  });

  it('had nothing to complain of', () => {
    expect(errors).toEqual([]);
  });
});
