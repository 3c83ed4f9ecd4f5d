import { useEffect, useSyncExternalStore } from 'react';

/** Something to do on a page as soon as it is shown: begin something new, open one letter, search, or show a button. */
export type Asked =
  | { what: 'new' }
  | { what: 'open'; id: string }
  | { what: 'find'; words: string }
  | { what: 'check-in' };

type Request = { path: string; asked: Asked };

let request: Request | null = null;
const listeners = new Set<() => void>();

/** Asks the page at a path. This is kept out of the address, since words there would reach logs and histories. */
export function askPage(path: string, asked: Asked): void {
  change({ path, asked });
}

/** Withdraws what no page has done. */
export function forgetAsked(): void {
  change(null);
}

/**
 * Does what this page is asked, once.
 *
 * @param act returns false if the page has yet to read what it needs; the request then waits.
 */
export function useAsked(path: string, act: (asked: Asked) => boolean): void {
  const current = useSyncExternalStore(
    onRequestChange,
    () => request,
    () => null,
  );
  useEffect(() => {
    if (current?.path === path && act(current.asked)) forgetAsked();
  });
}

function change(next: Request | null): void {
  request = next;
  for (const listener of listeners) listener();
}

function onRequestChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
