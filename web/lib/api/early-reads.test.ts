import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readByKey } from '#web/lib/api/query.ts';
import { namedReads, startReads } from './early-reads.ts';

const asked: string[] = [];
const json = (body: unknown) => new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
const read = (address: string) =>
  readByKey({ queryKey: [address], signal: new AbortController().signal } as unknown as Parameters<
    typeof readByKey
  >[0]);

beforeEach(() => {
  vi.useFakeTimers();
  document.head.innerHTML = '<meta name="reads" content="/api/messages /api/release">';
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    if (address === '/api/release') throw new TypeError('The connection was lost.');
    return json({ answer: asked.length });
  });
});

afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.head.innerHTML = '';
  asked.length = 0;
});

test('a read named by the page starts immediately, and serves the first read of it alone', async () => {
  expect(namedReads()).toEqual(['/api/messages', '/api/release']);
  startReads();
  expect(asked).toEqual(['/api/messages', '/api/release']);
  expect(await read('/api/messages')).toEqual({ answer: 1 });
  expect(asked).toHaveLength(2);
  expect(await read('/api/messages')).toEqual({ answer: 3 });
});

test('a failed read is reported to its reader', async () => {
  startReads();
  await expect(read('/api/release')).rejects.toThrow('We could not reach Everkept.');
});

test('an answer that was not read within ten seconds is fetched again', async () => {
  startReads();
  vi.advanceTimersByTime(10_000);
  expect(await read('/api/messages')).toEqual({ answer: 3 });
});

test('a page that names nothing asks for nothing', () => {
  document.head.innerHTML = '';
  startReads();
  expect(asked).toEqual([]);
});
