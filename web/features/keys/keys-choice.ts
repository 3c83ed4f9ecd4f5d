import { useSyncExternalStore } from 'react';

const storageKey = 'everkept-keys-off';
const listeners = new Set<() => void>();
/** The choice until the page is left, if the browser keeps nothing. */
let isOffHere = false;

/** True if keys act on pages of the vault. The choice is kept in this browser. */
export function useKeysOn(): boolean {
  return useSyncExternalStore(onChoice, areKeysOn, () => true);
}

export function areKeysOn(): boolean {
  try {
    return localStorage.getItem(storageKey) === null && !isOffHere;
  } catch {
    return !isOffHere;
  }
}

export function turnKeys(on: boolean): void {
  isOffHere = !on;
  try {
    if (on) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, 'yes');
  } catch {
    // Without storage the choice holds until the page is left.
  }
  for (const listener of listeners) listener();
}

function onChoice(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    // Another window has chosen; null if it removed everything.
    if (key !== storageKey && key !== null) return;
    isOffHere = false;
    listener();
  };
  listeners.add(listener);
  addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', onStorage);
  };
}
