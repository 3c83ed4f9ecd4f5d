import type { FetchQueryOptions } from '@tanstack/react-query';
import type { Route } from '#shared/contract/route.ts';
import type { AddressOptions } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { noteReadForFirst, queryClient } from '#web/lib/api/query.ts';
import { type ReadRoute, readOf } from '#web/lib/api/reads.ts';
import { readSession, sessionKey } from '#web/lib/session.ts';
import { loadSignedInPage } from '#web/routes.tsx';

const isRead = (route: Route): route is ReadRoute => route.method === 'GET';

/** The read of an address, checked as its route promises. */
function readOfAddress(address: string): FetchQueryOptions {
  const route = Object.values<Route>(light).find((each) => each.path === address);
  if (!route || !isRead(route)) return { queryKey: [address] };
  const { queryKey, queryFn } = readOf(route, {} as AddressOptions<ReadRoute>);
  return { queryKey: [...queryKey], queryFn };
}

/** Longest time that a placeholder replaces a page whose data is loading. */
const waitMsMax = 1_500;

/**
 * Waits for the script of a vault page, for the session and for the reads named in its head, so that the page appears
 * complete. If a part can't load, the page itself retries and reports it.
 */
export async function vaultReady(path: string, reads: readonly string[]): Promise<void> {
  const parts = [
    loadSignedInPage(path),
    queryClient.prefetchQuery({ queryKey: sessionKey, queryFn: ({ signal }) => readSession(signal), retry: false }),
    ...reads
      .filter((address) => address !== sessionKey[0])
      .map((address) => queryClient.prefetchQuery(readOfAddress(address))),
  ];
  const late = new Promise((resolve) => setTimeout(resolve, waitMsMax));
  await Promise.race([Promise.allSettled(parts), late]);
  noteReadForFirst(reads);
}
