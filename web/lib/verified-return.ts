/**
 * The link in the verification mail leads to an address with `verified=true`. It is taken out of the address after a second,
 * and kept in the state of that step of the history: a page that comes later, on a slow machine, still finds it there, and
 * one that is reached by another way does not.
 */
const mark = 'isVerifiedReturn';

export function isMarkedVerified(search: string): boolean {
  return new URLSearchParams(search).get('verified') === 'true';
}

export function isVerifiedReturn(search: string): boolean {
  const state: unknown = history.state;
  return isMarkedVerified(search) || (typeof state === 'object' && state !== null && mark in state);
}

export function tidyVerifiedReturn(): void {
  history.replaceState({ ...history.state, [mark]: true }, '', location.pathname);
}
