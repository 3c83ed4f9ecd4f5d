import { type DataTag, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Route, RouteResult } from '#shared/contract/route.ts';
import { type AddressOptions, addressOf, type OptionsArgument } from './api.ts';
import { type Reading, readByKey } from './query.ts';

/** A route that can be read again at any time. */
export type ReadRoute = Route & { method: 'GET' };

/** Result of a read: the answer of the route, or null for a visitor. */
export type ReadData<R extends ReadRoute> = RouteResult<R> | null;

/** Key of a cached read, with the type of its data. The query key is `[address]`. */
export type ReadKey<R extends ReadRoute> = DataTag<readonly [address: string], ReadData<R>, Error>;

type Habits<R extends ReadRoute> = Omit<
  UseQueryOptions<ReadData<R>, Error, ReadData<R>, ReadKey<R>>,
  'queryKey' | 'queryFn'
>;

/**
 * Reads one route of the contract, with the product's reading habits (`query.ts`): the type of the answer is the
 * route's. Whatever the route needs in its address stands among the options.
 */
export function useRead<R extends ReadRoute>(
  route: R,
  ...[options]: OptionsArgument<AddressOptions<R> & Habits<R>>
): UseQueryResult<ReadData<R>, Error> {
  const { params, query, ...habits } = (options ?? {}) as Habits<R> & { params?: unknown; query?: unknown };
  return useQuery({ ...habits, ...readOf(route, { params, query } as AddressOptions<R>) });
}

type ReadBy<Data> = { key: readonly string[]; read: (signal: AbortSignal) => Promise<Data> };
type ReadByHabits<Data> = Omit<UseQueryOptions<Data, Error, Data, readonly string[]>, 'queryKey' | 'queryFn'>;

/** Reads by a function, if the address does not hold everything: words of a search are sent in a body, to stay out of logs. */
export function useReadBy<Data>({
  key,
  read,
  ...habits
}: ReadBy<Data> & ReadByHabits<Data>): UseQueryResult<Data, Error> {
  return useQuery({ ...habits, queryKey: key, queryFn: ({ signal }) => read(signal) });
}

/** Key and function of a read. Signed out is an answer (null); the page of a proxy is none, and fails the read. */
export function readOf<R extends ReadRoute>(route: R, ...options: OptionsArgument<AddressOptions<R>>) {
  const queryKey = keyOf(route, ...options);
  const queryFn = (context: Reading) => readByKey(context, route) as Promise<ReadData<R>>;
  return { queryKey, queryFn };
}

/** Key of a read, to find, replace or refetch its data. */
export function keyOf<R extends ReadRoute>(route: R, ...options: OptionsArgument<AddressOptions<R>>): ReadKey<R> {
  const key: readonly [string] = [addressOf(route, ...options)];
  return key as ReadKey<R>;
}
