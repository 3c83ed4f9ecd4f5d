import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { beginWork, nameSender } from '#server/platform/running-work/running-work.ts';
import { JobLimitError, jobCounts, othersWait, runInThread } from './pool.ts';
import type { ThreadJob } from './thread-job.ts';

const module = new URL('./hostile.fixture.ts', import.meta.url);
const job = (name: string, changes: Partial<ThreadJob> = {}): ThreadJob => ({
  ...{ name, module, lane: 'short', busyMs: 60_000 },
  ...changes,
});
const answer = async (question: unknown) => `${question} and`;

describe('a job in a thread', () => {
  test('asks the main thread and returns its output', async () => {
    const asking = job('asks');
    expect(await runInThread(asking, { input: 'there', answer })).toBe('there and back');
    expect(jobCounts(asking)).toEqual({ started: 1, done: 1, terminated: 0 });
  });

  test('that never ends is terminated, and the next job runs', async () => {
    const endless = job('loops', { busyMs: 50 });
    await expect(runInThread(endless, { input: 'loop' })).rejects.toBeInstanceOf(JobLimitError);
    expect(jobCounts(endless)).toEqual({ started: 1, done: 0, terminated: 1 });
    expect(await runInThread(job('asks next'), { input: 'there', answer })).toBe('there and back');
  });

  test('that gets no processor for longer than its processor time goes on', async () => {
    const resting = job('rests', { busyMs: 3_000 });
    expect(await runInThread(resting, { input: 'rest 3500' })).toBe('rested');
  });

  test('that waits for nothing is terminated', async () => {
    const waiting = job('waits for nothing', { busyMs: 20 });
    await expect(runInThread(waiting, { input: 'never' })).rejects.toBeInstanceOf(JobLimitError);
    expect(jobCounts(waiting)).toEqual({ started: 1, done: 0, terminated: 1 });
  });

  test('that fills its heap is terminated, and the process goes on', async () => {
    const greedy = job('fills its heap');
    await expect(runInThread(greedy, { input: 'memory' })).rejects.toBeInstanceOf(JobLimitError);
    expect(jobCounts(greedy).terminated).toBe(1);
  });

  test('a job whose buffers outside its heap exceed their limit is terminated', async () => {
    const greedy = job('fills buffers', { busyMs: 600_000 });
    await expect(runInThread(greedy, { input: 'buffers' })).rejects.toBeInstanceOf(JobLimitError);
    expect(jobCounts(greedy).terminated).toBe(1);
  });

  test('a job whose caller leaves is terminated while it computes, and the next job runs', async () => {
    const endless = job('is left', { busyMs: 600_000 });
    const caller = new AbortController();
    const running = runInThread(endless, { input: 'loop', signal: caller.signal });
    const left = new Error('The caller has left.');
    setTimeout(() => caller.abort(left), 200);
    await expect(running).rejects.toBe(left);
    expect(jobCounts(endless)).toEqual({ started: 1, done: 0, terminated: 1 });
    expect(await runInThread(job('asks after it'), { input: 'there', answer })).toBe('there and back');
  });

  test('answers in the context of its own caller, and its thread belongs to no caller', async () => {
    const caller = new AsyncLocalStorage<string>();
    const ofThread: (string | undefined)[] = [];
    const ofAnswers: (string | undefined)[] = [];
    // A thread that was left running ends, so the next job starts one.
    await expect(runInThread(job('ends the thread'), { input: 'fail' })).rejects.toThrow();
    process.once('worker', (worker) => worker.on('message', () => ofThread.push(caller.getStore())));
    const asking = async (question: unknown) => {
      ofAnswers.push(caller.getStore());
      return answer(question);
    };
    for (const name of ['first', 'second']) {
      await caller.run(name, () => runInThread(job('in a context'), { input: 'there', answer: asking }));
    }
    expect(ofAnswers).toEqual(['first', 'second']);
    expect(ofThread.length).toBeGreaterThan(0);
    expect(new Set(ofThread)).toEqual(new Set([undefined]));
  });

  test('that throws fails with the same message', async () => {
    await expect(runInThread(job('throws'), { input: 'fail' })).rejects.toThrow('The job failed.');
  });

  test('fails with the error of the main thread if that cannot answer', async () => {
    const failing = async () => {
      throw new Error('The letter is gone.');
    };
    await expect(runInThread(job('unanswered'), { input: 'there', answer: failing })).rejects.toThrow(
      'The letter is gone.',
    );
  });
});

describe('turns', () => {
  const held = () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    return { answer: () => promise, end: () => resolve('there') };
  };
  const long = job('long', { lane: 'book' });

  test('an owner has one job at a time', async () => {
    const first = held();
    const running = runInThread(long, { input: '', owner: 'sam', answer: first.answer });
    await expect(runInThread(long, { input: '', owner: 'sam', answer })).rejects.toMatchObject({
      type: 'RATE_LIMITED',
      details: { retryAfterSeconds: 60 },
    });
    first.end();
    await running;
    expect(await runInThread(long, { input: 'here', owner: 'sam', answer })).toBe('here and back');
  });

  test('one book is set at a time, fifteen wait, and the next one is refused', async () => {
    const gate = held();
    const startedBefore = jobCounts(long).started;
    const running = Array.from({ length: 16 }, () => runInThread(long, { input: '', answer: gate.answer }));
    await expect(runInThread(long, { input: '' })).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(jobCounts(long).started - startedBefore).toBe(1);
    for (const lane of ['short', 'import'] as const) {
      expect(await runInThread(job('beside', { lane }), { input: lane, answer })).toBe(`${lane} and back`);
    }
    gate.end();
    await Promise.all(running);
    expect(jobCounts(long).started - startedBefore).toBe(16);
  });

  test('a lane that accounts of one network fill has room for a reader elsewhere, after two of them', async () => {
    const gate = held();
    const order: string[] = [];
    const ofAccount = (account: string, network: string) =>
      beginWork('POST /api/export-data', { sender: `network ${network}` }).run(async () => {
        nameSender(`account ${account}`);
        await runInThread(long, { input: '', owner: account, answer: gate.answer });
        order.push(account);
      });
    const jobs = Array.from({ length: 16 }, (_, index) => ofAccount(`free ${index}`, '192.0.2.1'));
    jobs.push(ofAccount('owner', '192.0.2.2'));
    gate.end();
    const refused = (await Promise.allSettled(jobs)).map(({ status }) => status === 'rejected');
    expect(refused.indexOf(true), 'the last of the network').toBe(15);
    expect(order).toHaveLength(16);
    expect(order.indexOf('owner')).toBe(2);
  });

  test('a caller who leaves while waiting gives the turn up, and the job never starts', async () => {
    const gate = held();
    const running = [runInThread(long, { input: '', answer: gate.answer })];
    const caller = new AbortController();
    const unwanted = job('unwanted', { lane: 'book' });
    const waiting = runInThread(unwanted, { input: '', owner: 'ann', answer, signal: caller.signal });
    expect(othersWait(long)).toBe(true);
    const left = new Error('The caller has left.');
    caller.abort(left);
    await expect(waiting).rejects.toBe(left);
    expect(othersWait(long)).toBe(false);
    expect(jobCounts(unwanted).started).toBe(0);
    gate.end();
    await Promise.all(running);
    expect(await runInThread(unwanted, { input: 'here', owner: 'ann', answer })).toBe('here and back');
  });
});
