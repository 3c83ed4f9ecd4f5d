import { QueryClient, type QueryFunctionContext } from '@tanstack/react-query';
import type { Route } from '#shared/contract/route.ts';
import { answerOf, apiErrorOf, isJsonAnswer, leaveUnread, reach } from './api.ts';
import { reading } from './early-reads.ts';

const staleTimeMs = 5 * 60_000;
const unusedTimeMs = 5 * 60_000;
const readRetries = 1;
const firstRetryDelayMs = 1_000;
const retryDelayMaxMs = 30_000;

/** Addresses read for the first drawing of the page; they count as read in this visit. */
const readForFirst = new Set<string>();
const sameVisitMs = 1_000;

/**
 * Notes that these addresses were read for the first drawing of the page, so that the page does not read them again. A read
 * that failed has been retried once already: the page shows the failure, and its button asks again.
 */
export function noteReadForFirst(addresses: readonly string[]): void {
  const failed = addresses.filter((address) => queryClient.getQueryState([address])?.status === 'error');
  for (const address of addresses) readForFirst.add(address);
  for (const address of failed) queryClient.setQueryDefaults([address], { retryOnMount: false });
  setTimeout(() => {
    readForFirst.clear();
    for (const address of failed) queryClient.setQueryDefaults([address], { retryOnMount: true });
  }, sameVisitMs);
}

type Kept = { queryKey: readonly unknown[]; state: { isInvalidated: boolean; data: unknown } };

/**
 * For data that changes elsewhere, such as plan and usage: read on every visit, and when the window becomes visible.
 */
export const readOften = {
  refetchOnMount: ({ queryKey, state: { isInvalidated, data } }: Kept) =>
    readForFirst.has(String(queryKey[0])) && !isInvalidated && data !== undefined ? false : 'always',
  refetchOnWindowFocus: 'always',
} as const;

export type Reading = Pick<QueryFunctionContext, 'queryKey' | 'signal'>;

/**
 * Reads the URL that is the first element of the query key. Signed out is an answer (null), not an error. With a route the answer
 * has to be the one of its contract. @throws ApiError
 */
export async function readByKey({ queryKey, signal }: Reading, route?: Route): Promise<unknown> {
  const response = await reach(String(queryKey[0]), { ...reading, signal });
  if (response.status === 401) return leaveUnread(response);
  if (!response.ok) throw await apiErrorOf(response);
  if (isJsonAnswer(response)) return route ? answerOf(route, response, signal) : response.json();
  // biome-ignore lint/suspicious/noConsole: an answer of the wrong kind is a fault of the service that a developer must see.
  console.warn(`${queryKey[0]} did not answer with JSON.`);
  return route ? answerOf(route, response, signal) : null;
}

/** A client for data of the service, with the product's defaults. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        queryFn: (context) => readByKey(context),
        staleTime: staleTimeMs,
        gcTime: unusedTimeMs,
        retry: readRetries,
        retryDelay: (attempt) => Math.min(firstRetryDelayMs * 2 ** attempt, retryDelayMaxMs),
        refetchOnWindowFocus: true,
        refetchInterval: false,
      },
      mutations: { retry: false },
    },
  });
}

/** The one client of the page. */
export const queryClient = createQueryClient();
