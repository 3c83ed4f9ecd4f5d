/**
 * Return from the verification mail, marked by `verified=true` in the address. After a second the mark moves to the
 * state of that history entry. A page that loads later still finds it there; a page reached in another way does not.
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
