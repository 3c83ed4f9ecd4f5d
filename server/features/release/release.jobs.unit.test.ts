import { expect, test } from 'vitest';
import { createReleaseWorker } from './release.jobs.ts';

const clock = { now: async () => new Date(0) };

function createWorld(options: { failingSweeps?: number; sweepMs?: number } = {}) {
  const seen = { beats: 0, sweeps: 0, atOnce: 0, mostAtOnce: 0, errors: 0 };
  let failing = options.failingSweeps ?? 0;
  let due = 3;
  const worker = createReleaseWorker({
    newAddresses: { sendWaited: async () => 0 },
    releases: {
      beat: async () => {
        seen.beats += 1;
      },
      sweep: async () => {
        seen.sweeps += 1;
        seen.atOnce += 1;
        seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
        await new Promise((resolve) => setTimeout(resolve, options.sweepMs ?? 0));
        seen.atOnce -= 1;
        if (failing > 0) {
          failing -= 1;
          throw new Error('no database');
        }
        return due > 0 ? due-- : 0;
      },
    },
    notifications: { dispatchDue: async () => 0 },
    deliveries: { sendDue: async () => 0 },
    clock,
    tickSeconds: 0.005,
    log: {
      warn: () => undefined,
      error: () => {
        seen.errors += 1;
      },
    },
  });
  return { worker, seen };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a round goes on until nothing is due and says how much it was', async () => {
  const { worker, seen } = createWorld();
  expect(worker.lastTickMs()).toBeNull();
  expect(await worker.tick()).toEqual({ steps: 6, sent: 0 });
  expect(seen).toMatchObject({ beats: 1, sweeps: 4 });
  expect(worker.lastTickMs()).not.toBeNull();
});

test('two rounds asked for at once are one', async () => {
  const { worker, seen } = createWorld({ sweepMs: 5 });
  await Promise.all([worker.tick(), worker.tick(), worker.tick()]);
  expect(seen).toMatchObject({ sweeps: 4, mostAtOnce: 1 });
});

test('a failed round is written down, and the next one comes all the same', async () => {
  const { worker, seen } = createWorld({ failingSweeps: 2 });
  worker.start();
  await pause(100);
  await worker.stop();
  expect(seen.errors).toBe(2);
  expect(seen.sweeps).toBeGreaterThan(3);
});

test('stopping waits for the round under way, and nothing begins afterwards', async () => {
  const { worker, seen } = createWorld({ sweepMs: 30 });
  worker.start();
  await pause(10);
  await worker.stop();
  expect(seen.atOnce).toBe(0);
  const { sweeps } = seen;
  await pause(60);
  expect(seen.sweeps).toBe(sweeps);
});

test('a part that fails keeps no other from being done, is told of at the end, and is tried once a round', async () => {
  const done: string[] = [];
  const failing = new Set(['sweep', 'sendDue']);
  let letters = 2;
  const part = (name: string, does: () => number) => async () => {
    done.push(name);
    if (failing.has(name)) throw new RangeError(name);
    return does();
  };
  const worker = createReleaseWorker({
    releases: { beat: async () => undefined, sweep: part('sweep', () => 0) },
    newAddresses: { sendWaited: part('sendWaited', () => 0) },
    notifications: { dispatchDue: part('dispatchDue', () => (letters > 0 ? letters-- : 0)) },
    deliveries: { sendDue: part('sendDue', () => 0) },
    billing: { workDue: part('billing', () => 0) },
    daily: part('daily', () => 0),
    clock,
    tickSeconds: 60,
    log: { warn: () => undefined, error: () => undefined },
  });

  const failure = await worker.tick().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AggregateError);
  expect((failure as AggregateError).errors.map(({ message }) => message)).toEqual(['sweep', 'sendDue']);
  expect(worker.lastTickMs()).toBeNull();
  const times = (name: string) => done.filter((one) => one === name).length;
  expect([...failing].map(times)).toEqual([1, 1]);
  expect(['sendWaited', 'billing', 'dispatchDue', 'daily'].map(times)).toEqual([3, 3, 3, 1]);

  failing.delete('sendDue');
  await expect(worker.tick()).rejects.toThrow(new RangeError('sweep'));
  failing.clear();
  expect(await worker.tick()).toEqual({ steps: 0, sent: 0 });
  expect(worker.lastTickMs()).not.toBeNull();
});
