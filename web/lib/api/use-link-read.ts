import { useCallback, useContext } from 'react';
import type { Route, RouteParams, RouteResult } from '#shared/contract/route.ts';
import { type AddressOptions, addressOf, type CallOptions, call } from './api.ts';
import type { ReadRoute } from './reads.ts';
import { type Ended, useSent } from './sent-answers.ts';
import { SentAnswers } from './sent-context.ts';
import { type Loaded, useLoaded } from './use-loaded.ts';

/**
 * Reads what a page behind a link shows. Where the server has drawn the page, it has read this already, and the browser
 * does not ask again.
 *
 * @param params of the route's address.
 * @param query of the route's address.
 * @param staysFresh true where asking again would tell nothing new.
 */
export function useLinkRead<R extends ReadRoute>(
  route: R,
  params: RouteParams<R>,
  { staysFresh = false, query }: { staysFresh?: boolean; query?: AddressOptions<R>['query'] | undefined } = {},
): Loaded<RouteResult<R>> {
  const address = addressWith(route, params, query);
  const first = useSent<RouteResult<R>>(address);
  const { wish } = useContext(SentAnswers);
  if (!first) wish?.(address);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is route and parameters in one.
  const load = useCallback(
    (signal: AbortSignal) => call(route, ...([{ params, query, signal }] as unknown as [CallOptions<R>])),
    [address],
  );
  return useLoaded(load, { staysFresh, first });
}

/** Outcome of a form of this page that was sent without scripts; undefined if none was. */
export function usePressed<R extends Route>(route: R, params: RouteParams<R>): Ended<RouteResult<R>> | undefined {
  return useSent(`${route.method} ${addressWith(route, params)}`);
}

function addressWith<R extends Route>(route: R, params: RouteParams<R>, query?: AddressOptions<R>['query']): string {
  return addressOf(route, ...([{ params, query }] as unknown as [AddressOptions<R>]));
}
