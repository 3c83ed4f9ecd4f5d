import { useSyncExternalStore } from 'react';

/** The part of the address after `#`, as it is now. */
export function useHash(): string {
  return useSyncExternalStore(onHashChange, () => location.hash.slice(1));
}

function onHashChange(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
