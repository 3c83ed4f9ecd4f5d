import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import type { Task, TaskGround } from './task.ts';
import { createTaskRunner } from './task-runner.ts';
import { taskRuns } from './task-runs.tables.ts';
import { readRuns } from './task-runs.ts';
import { TaskTooLongError } from './task-watch.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
afterEach(() => database.pool.query('delete from task_runs'));

type TestTask = Task<TaskGround>;
type Run = TestTask['run'];

const inRound = {
  everyMs: minuteMs,
  oncePer: 'process',
  limitMs: 10 * minuteMs,
  essential: false,
  inRound: true,
} as const;
const leased = { everyMs: minuteMs, oncePer: 'installation', limitMs: 10 * minuteMs, essential: false } as const;

/** A process with these tasks. Its monotonic clock stands still until the test moves it. */
function processWith(...tasks: TestTask[]) {
  const state = { nowMs: 0 };
  const logged: object[] = [];
  const app = { db: database.db, clock: createDatabaseClock(database.db, { testClock: true }) };
  const log = { error: (details: object) => logged.push(details) };
  const pace = { leaseMs: 5 * minuteMs, renewMs: 5 };
  const runner = createTaskRunner({ app, tasks, log, nowMs: () => state.nowMs, pace });
  return { ...runner, state, logged };
}

/** Runs once as part of a round. */
const counting = (name: string, run: Run, more: Partial<TestTask> = {}): TestTask => ({
  name,
  ...inRound,
  ...more,
  run,
});

describe('a round by hand', () => {
  test('continues until no task did anything, and returns how much each did', async () => {
    let owners = 3;
    let mails = 2;
    const { tick } = processWith(
      counting('sweep', async () => (owners > 0 ? owners-- : 0)),
      counting('outbox', async () => (mails > 0 ? mails-- : 0)),
    );
    expect([...(await tick())]).toEqual([
      ['sweep', 6],
      ['outbox', 3],
    ]);
  });

  test('is one round if two callers ask for it in parallel', async () => {
    let runs = 0;
    const { tick } = processWith(
      counting('sweep', async () => {
        runs += 1;
        await sleep(5);
      }),
    );
    await Promise.all([tick(), tick(), tick()]);
    expect(runs).toBe(1);
  });

  test('runs the other tasks if one fails, tries that one once, and rejects at the end', async () => {
    const runs: string[] = [];
    let letters = 2;
    const noting = (name: string, act: () => number) =>
      counting(name, async () => {
        runs.push(name);
        return act();
      });
    const fail = (name: string) => () => {
      throw new RangeError(name);
    };
    const { tick } = processWith(
      noting('sweep', fail('sweep')),
      noting('outbox', () => (letters > 0 ? letters-- : 0)),
      noting('letters', fail('letters')),
      { name: 'erasures', ...leased, everyMs: dayMs, run: async () => void runs.push('erasures') },
    );
    const failure = await tick().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AggregateError);
    const messages = (failure as AggregateError).errors.map(({ message }) => message);
    expect(messages).toEqual(['sweep', 'letters']);
    expect(runs).toEqual(['erasures', 'sweep', 'outbox', 'letters', 'outbox', 'outbox']);
  });

  test('begins with the heartbeat, unless it was a moment ago', async () => {
    const beats: number[] = [];
    const heartbeat = counting('heartbeat', async () => void beats.push(1), { inRound: false, beforeRound: true });
    const { tick, state } = processWith(heartbeat);
    await tick();
    await tick();
    expect(beats).toHaveLength(1);
    state.nowMs = minuteMs / 2;
    await tick();
    expect(beats).toHaveLength(2);
  });

  test('runs daily tasks once a day, in the order of the list, and before the tasks that send their mails', async () => {
    const runs: string[] = [];
    const noting =
      (name: string): Run =>
      async () =>
        void runs.push(name);
    const daily = { ...leased, everyMs: dayMs };
    const { tick } = processWith(
      counting('outbox', noting('outbox')),
      { name: 'anchor', ...daily, run: noting('anchor') },
      { name: 'erasures', ...daily, run: noting('erasures') },
    );
    await tick();
    expect(runs).toEqual(['anchor', 'erasures', 'outbox']);
    await tick();
    await tick({ daily: false });
    expect(runs).toEqual(['anchor', 'erasures', 'outbox', 'outbox', 'outbox']);
    await database.pool.query("update task_runs set begun_at = begun_at - interval '1 day'");
    await tick({ daily: false });
    await tick();
    expect(runs.filter((name) => name === 'erasures')).toHaveLength(2);
  });
});

describe('a runner that was started', () => {
  test('runs the heartbeat to its end before the tasks of a round, so that they know of an outage', async () => {
    const beaten = Promise.withResolvers<void>();
    const runs: string[] = [];
    const { start, stop } = processWith(
      counting('sweep', async () => void runs.push('sweep')),
      counting(
        'heartbeat',
        async () => {
          runs.push('heartbeat');
          await beaten.promise;
          runs.push('has beaten');
        },
        { inRound: false, beforeRound: true },
      ),
    );
    start();
    await expect.poll(() => runs).toEqual(['heartbeat']);
    await sleep(5);
    beaten.resolve();
    await expect.poll(() => runs).toHaveLength(3);
    await stop();
    expect(runs).toEqual(['heartbeat', 'has beaten', 'sweep']);
  });

  test('runs the tasks of a round also if the heartbeat fails', async () => {
    let runs = 0;
    const { start, stop, logged } = processWith(
      counting('sweep', async () => {
        runs += 1;
      }),
      counting('heartbeat', () => Promise.reject(new RangeError('no')), { inRound: false, beforeRound: true }),
    );
    start();
    await expect.poll(() => runs).toBe(1);
    await stop();
    expect(logged).toEqual([{ task: 'heartbeat', failure: 'RangeError' }]);
  });

  test('logs a failed run by the name of its error, and runs again at the next interval', async () => {
    let runs = 0;
    const { start, stop, logged } = processWith(
      counting(
        'sweep',
        async () => {
          runs += 1;
          if (runs <= 2) throw new RangeError('secret');
        },
        { everyMs: 1 },
      ),
    );
    start();
    await expect.poll(() => runs).toBeGreaterThan(3);
    await stop();
    expect(logged).toEqual([
      { task: 'sweep', failure: 'RangeError' },
      { task: 'sweep', failure: 'RangeError' },
    ]);
  });

  test('waits at its stop for the run that has begun, and begins no other', async () => {
    const running = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let runs = 0;
    const { start, stop } = processWith(
      counting(
        'sweep',
        async () => {
          runs += 1;
          begun.resolve();
          await running.promise;
          return 1;
        },
        { everyMs: 1 },
      ),
    );
    start();
    await begun.promise;
    let isStopped = false;
    const stopping = stop().then(() => {
      isStopped = true;
    });
    await sleep(5);
    expect(isStopped).toBe(false);
    running.resolve();
    await stopping;
    expect(runs).toBe(1);
  });

  test('runs all tasks of the round again if one did something, whatever their interval', async () => {
    const runs: string[] = [];
    let due = 1;
    const { start, stop } = processWith(
      counting('sweep', async () => {
        runs.push('sweep');
        return due > 0 ? due-- : 0;
      }),
      counting('outbox', async () => void runs.push('outbox')),
    );
    start();
    await expect.poll(() => runs.filter((name) => name === 'outbox')).toHaveLength(2);
    await stop();
    expect(runs.filter((name) => name === 'sweep')).toHaveLength(2);
  });

  test('runs a task that is woken, and no other', async () => {
    const runs: string[] = [];
    const noting = (name: string) => counting(name, async () => void runs.push(name));
    const { start, stop, wake } = processWith(noting('sweep'), noting('outbox'));
    start();
    await expect.poll(() => runs).toHaveLength(2);
    wake('outbox');
    wake('a task that is not here');
    await expect.poll(() => runs).toHaveLength(3);
    await stop();
    expect(runs.at(-1)).toBe('outbox');
  });
});

describe('a task that runs once per installation', () => {
  test('runs in one of two processes at the same time, and again after its interval', async () => {
    const running = Promise.withResolvers<void>();
    let runs = 0;
    const task: TestTask = {
      name: 'erasures',
      ...{ ...leased, everyMs: dayMs },
      async run() {
        runs += 1;
        await running.promise;
      },
    };
    const here = processWith(task);
    const there = processWith(task);
    const both = [here.tick(), there.tick()];
    await expect.poll(() => runs).toBe(1);
    await Promise.race(both);
    expect((await readRuns(database.db)).get('erasures')).toMatchObject({
      endedAt: null,
      leaseUntil: expect.any(Date),
    });
    running.resolve();
    await Promise.all(both);
    expect((await readRuns(database.db)).get('erasures')).toMatchObject({
      endedAt: expect.any(Date),
      leaseUntil: null,
    });
    await there.tick();
    expect(runs).toBe(1);
    await database.pool.query("update task_runs set begun_at = begun_at - interval '1 day'");
    await Promise.all([here.tick(), there.tick()]);
    expect(runs).toBe(2);
  });

  test('runs again an hour after a failure, whose name is stored without its words', async () => {
    let runs = 0;
    const { tick } = processWith({
      name: 'erasures',
      ...{ ...leased, everyMs: dayMs },
      async run() {
        runs += 1;
        if (runs === 1) throw new RangeError('of nell@vane.example');
      },
    });
    await tick();
    await tick();
    expect(runs).toBe(1);
    expect((await readRuns(database.db)).get('erasures')).toMatchObject({ failure: 'RangeError', endedAt: null });
    await database.pool.query("update task_runs set begun_at = begun_at - interval '1 hour'");
    await tick();
    await tick();
    expect(runs).toBe(2);
  });

  test('keeps its lease if it runs for longer than that', async () => {
    const running = Promise.withResolvers<void>();
    const { tick } = processWith({ name: 'erasures', ...leased, everyMs: dayMs, run: () => running.promise });
    const round = tick();
    const leaseUntilMs = async () => (await readRuns(database.db)).get('erasures')?.leaseUntil?.getTime() ?? 0;
    await expect.poll(leaseUntilMs).toBeGreaterThan(0);
    const firstMs = await leaseUntilMs();
    await expect.poll(leaseUntilMs).toBeGreaterThan(firstMs);
    running.resolve();
    await round;
    expect((await readRuns(database.db)).get('erasures')).toMatchObject({ leaseUntil: null, failure: null });
  });

  test('takes turns with the tasks of its list: while one process runs one, another process runs none', async () => {
    const anchoring = Promise.withResolvers<void>();
    const runs: string[] = [];
    const daily = { ...leased, everyMs: dayMs };
    const tasksOf = (process: string): TestTask[] => [
      {
        name: 'anchor',
        ...daily,
        async run() {
          runs.push(`anchor ${process}`);
          await anchoring.promise;
        },
      },
      { name: 'erasures', ...daily, run: async () => void runs.push(`erasures ${process}`) },
    ];
    const here = processWith(...tasksOf('here'));
    const there = processWith(...tasksOf('there'));
    const round = here.tick();
    await expect.poll(() => runs).toEqual(['anchor here']);
    await there.tick();
    expect(runs).toEqual(['anchor here']);
    anchoring.resolve();
    await round;
    expect(runs).toEqual(['anchor here', 'erasures here']);
    await there.tick();
    expect(runs).toHaveLength(2);
  });

  test('is continued by the next process if the stop of its process cuts it short, and has not failed', async () => {
    const begun = Promise.withResolvers<void>();
    let runs = 0;
    const task: TestTask = {
      name: 'erasures',
      ...{ ...leased, everyMs: dayMs },
      async run(_app, { stop }) {
        runs += 1;
        if (runs > 1) return;
        begun.resolve();
        await sleep(dayMs, undefined, { signal: stop });
      },
    };
    const here = processWith(task);
    here.start();
    await begun.promise;
    await here.stop();
    expect(here.logged).toEqual([]);
    expect((await readRuns(database.db)).get('erasures')).toMatchObject({ endedAt: null, failedAt: null });
    await processWith(task).tick();
    expect(runs).toBe(2);
    expect((await readRuns(database.db)).get('erasures')).toMatchObject({
      ...{ endedAt: expect.any(Date), leaseUntil: null },
    });
  });

  test('is left to the other processes if it hangs in this one', async () => {
    const hanging = Promise.withResolvers<void>();
    let runs = 0;
    const task: TestTask = {
      name: 'erasures',
      ...{ ...leased, everyMs: dayMs, limitMs: 20 },
      run: () => {
        runs += 1;
        return runs === 1 ? hanging.promise : Promise.resolve();
      },
    };
    const here = processWith(task);
    await here.tick();
    expect((await readRuns(database.db)).get('erasures')).toMatchObject({ failure: 'TaskTooLongError' });
    await database.pool.query("update task_runs set begun_at = begun_at - interval '1 hour'");
    await here.tick();
    expect([runs, here.logged]).toEqual([1, [{ task: 'erasures', failure: 'TaskTooLongError' }]]);
    await processWith(task).tick();
    expect(runs).toBe(2);
    hanging.resolve();
  });

  test('is taken over once the lease of a process that was killed has expired', async () => {
    const runs: number[] = [];
    const { tick } = processWith({ name: 'erasures', ...leased, everyMs: dayMs, run: async () => void runs.push(1) });
    await database.pool.query(
      "insert into task_runs (name, begun_at, lease_until) values ('erasures', now(), now() + interval '5 minutes')",
    );
    await tick();
    expect(runs).toEqual([]);
    await database.pool.query("update task_runs set lease_until = now() - interval '1 second'");
    await tick();
    expect(runs).toEqual([1]);
  });
});

describe('the state of the worker', () => {
  const essential = { essential: true, limitMs: 20 } as const;

  test('tells of an essential task that hangs, which is begun again only after it has ended', async () => {
    const hanging = Promise.withResolvers<number>();
    let runs = 0;
    const { tick, state, trouble } = processWith(
      counting(
        'sweep',
        () => {
          runs += 1;
          return runs === 1 ? hanging.promise : Promise.resolve(0);
        },
        essential,
      ),
    );
    await expect(tick()).rejects.toThrow(TaskTooLongError);
    state.nowMs = 600_000;
    await expect(tick()).rejects.toThrow('still running');
    expect([runs, trouble()]).toEqual([1, '“sweep” has been running for 10 minutes.']);
    hanging.resolve(0);
    await expect.poll(trouble).toBeNull();
    await tick();
    expect(runs).toBe(2);
  });

  test('tells of an essential task that has failed for the time of its limit, and of no single failure', async () => {
    const { tick, state, trouble, idleSeconds } = processWith(
      counting('sweep', () => Promise.reject(new Error('no')), { essential: true, limitMs: minuteMs }),
    );
    await expect(tick()).rejects.toThrow('no');
    expect(trouble()).toBeNull();
    state.nowMs = 2 * minuteMs;
    expect(trouble()).toBe('“sweep” has failed for 2 minutes.');
    expect(idleSeconds()).toBe(120);
  });

  test('stays good while another task hangs or fails', async () => {
    const { tick, state, trouble } = processWith(
      counting('sweep', async () => 0, essential),
      counting('payments', () => Promise.reject(new Error('no')), { limitMs: 20 }),
      counting('news', () => new Promise(() => undefined), { limitMs: 20 }),
    );
    await expect(tick()).rejects.toThrow('Several tasks of the round failed.');
    state.nowMs = dayMs;
    expect(trouble()).toBeNull();
  });
});

test('a task learns of trouble, and stores for the operator when the tasks of its process ran', async () => {
  const { tick } = processWith(
    counting('outbox', async () => 0),
    counting('payments', () => Promise.reject(new RangeError('no'))),
    counting('task times', (_app, { saveRuns, trouble }) => {
      expect(trouble()).toBeNull();
      return saveRuns();
    }),
  );
  await expect(tick()).rejects.toThrow('no');
  const runs = await readRuns(database.db);
  expect(runs.get('outbox')).toMatchObject({ endedAt: expect.any(Date), failedAt: null, leaseUntil: null });
  expect(runs.get('payments')).toMatchObject({ endedAt: null, failedAt: expect.any(Date), failure: 'RangeError' });
});

test('the operator sees a task that hangs, and no older run of another process in place of a newer one', async () => {
  const later = new Date(Date.now() + dayMs);
  await database.db.insert(taskRuns).values({ name: 'outbox', begunAt: later, endedAt: later });
  const hanging = Promise.withResolvers<void>();
  const { tick } = processWith(
    counting('payments', () => hanging.promise, { limitMs: 20 }),
    counting('outbox', async () => 0),
    counting('task times', (_app, { saveRuns }) => saveRuns()),
  );
  await expect(tick()).rejects.toThrow(TaskTooLongError);
  const runs = await readRuns(database.db);
  expect(runs.get('payments')).toMatchObject({ endedAt: null, failure: 'TaskTooLongError' });
  expect(runs.get('outbox')).toMatchObject({ begunAt: later, endedAt: later });
  hanging.resolve();
});
