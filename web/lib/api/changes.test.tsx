import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { resetPassword } from '#shared/contract/accounts.ts';
import { endSession } from '#shared/contract/sessions.ts';
import { useChange } from './changes.ts';
import { createQueryClient } from './query.ts';

const realFetch = globalThis.fetch;
const asked: string[] = [];

afterEach(() => {
  globalThis.fetch = realFetch;
  asked.length = 0;
});

function answerAll(body: unknown, status = 200): void {
  globalThis.fetch = async (url, init) => {
    asked.push(`${init?.method} ${url} ${init?.body ?? ''}`.trim());
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  };
}

const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
);
const body = { email: 'sam@ashworth.example' };

describe('a change by a route of the contract', () => {
  it('sends the parameters and the body that it is started with', async () => {
    answerAll({ message: 'Look in your mailbox' });
    const { result } = renderHook(() => useChange(resetPassword), { wrapper });
    act(() => result.current.mutate({ body }));
    await waitFor(() => expect(result.current.data).toEqual({ message: 'Look in your mailbox' }));
    expect(asked).toEqual(['POST /api/reset-password {"email":"sam@ashworth.example"}']);
  });

  it('goes through its wrapper, which may call it again', async () => {
    answerAll(undefined, 204);
    const twice = async <Answer,>(attempt: () => Promise<Answer>) => {
      await attempt();
      return attempt();
    };
    const { result } = renderHook(() => useChange(endSession, { through: twice }), { wrapper });
    act(() => result.current.mutate({ params: { id: 'abc' } }));
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(asked).toEqual(['DELETE /api/user/sessions/abc', 'DELETE /api/user/sessions/abc']);
  });

  it('is not tried a second time by itself', async () => {
    answerAll({ message: 'Try later' }, 503);
    const { result } = renderHook(() => useChange(resetPassword), { wrapper });
    act(() => result.current.mutate({ body }));
    await waitFor(() => expect(result.current.error?.message).toBe('Try later'));
    expect(asked).toHaveLength(1);
  });
});
