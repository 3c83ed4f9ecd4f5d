import { describe, expect, test } from 'vitest';
import { jobCounts, othersWait, runInThread } from '#server/platform/threads/pool.ts';
import { headJob, kindOf, readLock, readMainParts, sizeOf } from './read-head.ts';

const module = new URL('../threads/hostile.fixture.ts', import.meta.url);
const held = { name: 'held', module, lane: 'short', busyMs: 60_000 } as const;
const head = Buffer.from('GIF89a');
const part = { bytes: new Uint8Array(head), isStored: true };

describe('a caller who leaves while others are in front', () => {
  test.each([
    ['the kind of a file', (signal: AbortSignal) => kindOf(head, signal)],
    ['the size of a picture', (signal: AbortSignal) => sizeOf(head, signal)],
    ['the main part of a Word document', (signal: AbortSignal) => readMainParts(part, signal)],
    ['the lock of an OpenDocument text', (signal: AbortSignal) => readLock(part, signal)],
  ])('gives up the place in the queue for %s', async (_what, read) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const running = runInThread(held, { input: '', answer: () => promise });
    const { started } = jobCounts(headJob);
    const caller = new AbortController();
    const reading = read(caller.signal);
    expect(othersWait(headJob)).toBe(true);
    const left = new Error('The caller has left.');
    caller.abort(left);
    await expect(reading).rejects.toBe(left);
    expect([othersWait(headJob), jobCounts(headJob).started]).toEqual([false, started]);
    resolve('there');
    await running;
  });
});
