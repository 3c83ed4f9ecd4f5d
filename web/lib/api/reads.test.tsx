import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { listContacts, type TrustedContact } from '#shared/contract/contacts.ts';
import { getFeatureAccess } from '#shared/contract/dashboard.ts';
import { createMessage, listMessages, type Message, updateMessage } from '#shared/contract/messages.ts';
import { getRelease, type ReleaseOverview } from '#shared/contract/release/release.ts';
import { getTrusteeMessages } from '#shared/contract/release/trustee.ts';
import { useChange } from './changes.ts';
import { createQueryClient } from './query.ts';
import { keyOf, useRead } from './reads.ts';

const realFetch = globalThis.fetch;
const asked: string[] = [];

afterEach(() => {
  globalThis.fetch = realFetch;
  asked.length = 0;
});

function answerAll(body: unknown): void {
  globalThis.fetch = async (url, init) => {
    asked.push(`${init?.method ?? 'GET'} ${url}`);
    return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
  };
}

const within = (client: QueryClient) => ({
  wrapper: ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  ),
});

describe('a read by a route of the contract', () => {
  it('asks for the address of the route, with its parameters filled in', async () => {
    answerAll({ hasAccess: true });
    const { result } = renderHook(
      () => useRead(getFeatureAccess, { params: { feature: 'templates' } }),
      within(createQueryClient()),
    );
    await waitFor(() => expect(result.current.data).toEqual({ hasAccess: true }));
    expect(asked).toEqual(['GET /api/user/feature-access/templates']);
  });

  it('is kept under its address alone, and found again by its route', async () => {
    answerAll([]);
    const client = createQueryClient();
    const { result } = renderHook(() => useRead(listMessages), within(client));
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(keyOf(listMessages)).toEqual(['/api/messages']);
    expect(client.getQueryData(keyOf(listMessages))).toEqual([]);
  });

  it('has the query in its key, so that each question is kept by itself', () => {
    const ownerUserId = '0190b6a0-0000-7000-8000-000000000000';
    expect(keyOf(getTrusteeMessages, { query: { ownerUserId } })).toEqual([
      `/api/trustee/messages?ownerUserId=${ownerUserId}`,
    ]);
  });

  it('takes the habits of a single read beside what its address needs', () => {
    answerAll([]);
    const { result } = renderHook(() => useRead(listMessages, { enabled: false }), within(createQueryClient()));
    expect(result.current.fetchStatus).toBe('idle');
    expect(asked).toEqual([]);
  });
});

describe('the types of reads and changes', () => {
  const client = createQueryClient();

  it('are those of the contract, with null for a visitor', () => {
    expectTypeOf(useRead<typeof listMessages>)
      .returns.toHaveProperty('data')
      .toEqualTypeOf<Message[] | null | undefined>();
    expectTypeOf(client.getQueryData(keyOf(getRelease))).toEqualTypeOf<ReleaseOverview | null | undefined>();
    expect(client.getQueryData(keyOf(getRelease))).toBeUndefined();
  });

  it('let no route be paired with the type of another', () => {
    expect(useWrongPairs).toBeTypeOf('function');
    expect(keyOf(listContacts)).toEqual(['/api/trusted-contacts']);
  });
});

// Never called: `tsc` reads it, and fails where one of these lines would compile.
function useWrongPairs() {
  // @ts-expect-error The list of messages is no list of contacts.
  const contacts: TrustedContact[] | null | undefined = useRead(listMessages).data;
  // @ts-expect-error Contacts are not kept where messages are.
  createQueryClient().setQueryData(keyOf(listMessages), [] as TrustedContact[]);
  // @ts-expect-error The address needs to know which feature.
  useRead(getFeatureAccess);
  // @ts-expect-error There is no such feature.
  useRead(getFeatureAccess, { params: { feature: 'telepathy' } });
  // @ts-expect-error A change is not read.
  useRead(createMessage);
  // @ts-expect-error A route is named, and no address.
  useRead('/api/messages');
  // @ts-expect-error Which message is to be changed?
  useChange(updateMessage).mutate({ body: { title: 'For Nell' } });
  const change = useChange(createMessage, {
    // @ts-expect-error A message has no such field.
    onSuccess: ({ nickname }) => nickname,
  });
  return [contacts, change];
}
