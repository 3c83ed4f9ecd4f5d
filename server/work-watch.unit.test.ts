import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WorkTooLongError, watchWork } from './work-watch.ts';

function world() {
  const seen = { beats: 0, sweeps: 0, said: [] as object[] };
  const state = { nowMs: 0, sweep: async () => 0 };
  const watch = watchWork(
    {
      releases: {
        beat: async () => {
          seen.beats += 1;
        },
        sweep: () => {
          seen.sweeps += 1;
          return state.sweep();
        },
      },
      newAddresses: { sendWaited: async () => 0 },
      notifications: { dispatchDue: async () => 0 },
      deliveries: { sendDue: async () => 0 },
      billing: { workDue: async () => 0 },
      daily: async () => undefined,
    },
    {
      log: { error: (details) => seen.said.push(details) },
      nowMs: () => state.nowMs,
      limits: { partMs: 20, dailyMs: 60_000 },
    },
  );
  return { seen, state, ...watch };
}

test('a part that hangs is given up, is not begun a second time, and the heart stops until it has ended', async () => {
  const { seen, state, watched, trouble } = world();
  const hanging = Promise.withResolvers<number>();
  state.sweep = () => hanging.promise;
  await expect(watched.releases.sweep()).rejects.toThrow(WorkTooLongError);
  state.nowMs = 600_000;
  await expect(watched.releases.sweep()).rejects.toThrow('still under way');
  await watched.releases.beat();
  expect([seen.sweeps, seen.beats, trouble()]).toEqual([1, 0, '“sweep” has come to no end for 10 minutes.']);
  expect(seen.said).toEqual([{ found: '“sweep” has come to no end for 10 minutes.' }]);

  hanging.resolve(3);
  await setImmediate();
  state.sweep = async () => 5;
  expect(await watched.releases.sweep()).toBe(5);
  await watched.releases.beat();
  expect([seen.beats, trouble()]).toEqual([1, null]);
});

test('what has to succeed and keeps failing stops the heart; one failure does not', async () => {
  const { seen, state, watched, trouble, idleSeconds } = world();
  state.sweep = () => Promise.reject(new Error('no'));
  await expect(watched.releases.sweep()).rejects.toThrow('no');
  await watched.releases.beat();
  expect([seen.beats, trouble()]).toEqual([1, null]);
  state.nowMs = 120_000;
  expect(trouble()).toBe('“sweep” has failed for 2 minutes.');
  expect(idleSeconds()).toBe(120);
  await watched.releases.beat();
  expect(seen.beats).toBe(1);
});

test('a long day’s work stops nothing, though no round begins meanwhile', async () => {
  const { state, watched, trouble } = world();
  void watched.daily();
  state.nowMs = 30_000;
  expect(trouble()).toBe(null);
});
