import { QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it } from 'vitest';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { ApiError } from './api.ts';
import { createQueryClient } from './query.ts';

const realFetch = globalThis.fetch;
let asked: string[] = [];

function answerWith(...answers: Response[]): void {
  globalThis.fetch = async (url, init) => {
    asked.push(`${init?.method ?? 'GET'} ${url} ${init?.credentials}`);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (!answer) throw new Error('No answer was prepared.');
    return answer.clone();
  };
}

afterEach(() => {
  globalThis.fetch = realFetch;
  asked = [];
});

const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

describe('a read', () => {
  it('asks for the first element of its key, with the cookies', async () => {
    answerWith(json([1, 2]));
    expect(await createQueryClient().fetchQuery({ queryKey: ['/api/messages', 'ignored'] })).toEqual([1, 2]);
    expect(asked).toEqual(['GET /api/messages include']);
  });

  it('is null for a visitor, without an error', async () => {
    answerWith(json({ message: 'Sign in first' }, 401));
    expect(await createQueryClient().fetchQuery({ queryKey: ['/api/messages'] })).toBeNull();
  });

  it('warns and is null where the answer is not JSON', async () => {
    answerWith(new Response('<p>hello</p>', { headers: { 'content-type': 'text/html' } }));
    expect(await createQueryClient().fetchQuery({ queryKey: ['/api/messages'] })).toBeNull();
    expect(takeConsoleOutput()).toEqual(['console.warn: /api/messages did not answer with JSON.']);
  });

  it('is tried a second time after a second, and then fails with what the service said', async () => {
    answerWith(json({ message: 'Try later', type: 'UNAVAILABLE' }, 503));
    const client = createQueryClient();
    const observer = new QueryObserver(client, { queryKey: ['/api/messages'] });
    const startedMs = performance.now();
    const error = await new Promise((resolve) => {
      const stop = observer.subscribe((result) => {
        if (!result.isError) return;
        stop();
        resolve(result.error);
      });
    });
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 503, message: 'Try later' });
    expect(asked).toHaveLength(2);
    expect(performance.now() - startedMs).toBeGreaterThan(950);
  });

  it('counts as fresh for five minutes and is kept five minutes', () => {
    const { queries, mutations } = createQueryClient().getDefaultOptions();
    expect(queries).toMatchObject({
      staleTime: 300_000,
      gcTime: 300_000,
      retry: 1,
      refetchOnWindowFocus: true,
      refetchInterval: false,
    });
    expect(mutations).toEqual({ retry: false });
  });

  it('doubles the delay of a retry from one second up to thirty', () => {
    const delay = createQueryClient().getDefaultOptions().queries?.retryDelay;
    if (typeof delay !== 'function') throw new Error('The delay is not a function.');
    const delays = [0, 1, 2, 3, 4, 5, 6].map((attempt) => delay(attempt, new Error('any')));
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });
});
