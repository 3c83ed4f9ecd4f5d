import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { askAgain } from './ask-again.ts';

const limited = (seconds?: string) =>
  new Response(null, { status: 429, headers: seconds ? { 'retry-after': seconds } : {} });
const file = () => new Response('a file');

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it.each([
  ['as long as the answer says', '42', 42_000],
  ['a minute where it does not say', undefined, 60_000],
])('waits %s, and asks again', async (_, seconds, ms) => {
  const ask = vi.fn<() => Promise<Response>>().mockResolvedValueOnce(limited(seconds)).mockResolvedValueOnce(file());
  const asked = askAgain(ask, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await asked).status).toBe(200);
});

it('asks three times at most, and once where it would wait for longer than a minute', async () => {
  const ask = vi.fn(async () => limited('30'));
  const asked = askAgain(ask, new AbortController().signal);
  await vi.runAllTimersAsync();
  expect([(await asked).status, ask.mock.calls.length]).toEqual([429, 3]);

  const askOnce = vi.fn(async () => limited('3600'));
  expect((await askAgain(askOnce, new AbortController().signal)).status).toBe(429);
  expect(askOnce).toHaveBeenCalledTimes(1);
});

it('does not wait on where it is cancelled', async () => {
  const controller = new AbortController();
  const ask = vi.fn(async () => limited('30'));
  const asked = askAgain(ask, controller.signal);
  asked.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  controller.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  expect(ask).toHaveBeenCalledTimes(1);
});
