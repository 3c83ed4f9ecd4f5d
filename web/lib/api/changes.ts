import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import type { Route, RouteResult } from '#shared/contract/route.ts';
import { type CallOptions, call, type OptionsArgument } from './api.ts';

/** Input of a change: the route's input, or none if the route takes none. */
// biome-ignore lint/suspicious/noConfusingVoidType: only an argument of type void may be left out of a call.
type ChangeInput<R extends Route> = Record<never, never> extends CallOptions<R> ? void : CallOptions<R>;

type ChangeOptions<R extends Route> = Omit<
  UseMutationOptions<RouteResult<R>, Error, ChangeInput<R>>,
  'mutationFn' | 'mutationKey'
> & {
  /** Wraps the call, as `run` of a fresh sign-in does. */
  through?: (attempt: () => Promise<RouteResult<R>>) => Promise<RouteResult<R>>;
};

/** A change by one route of the contract. It is started with the route's own parameters and body, and never retried. */
export function useChange<R extends Route>(
  route: R,
  { through = (attempt) => attempt(), ...options }: ChangeOptions<R> = {},
): UseMutationResult<RouteResult<R>, Error, ChangeInput<R>> {
  return useMutation({
    ...options,
    mutationFn: (given) => through(() => call(route, ...([given] as OptionsArgument<CallOptions<R>>))),
  });
}
