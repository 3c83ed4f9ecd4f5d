import { useSyncExternalStore } from 'react';

const storageKey = 'everkept-keys-off';
const listeners = new Set<() => void>();
/** Choice until the page is left, for a browser that blocks storage. */
let isOffHere = false;

/** True if keyboard shortcuts are on. The choice is kept in this browser. */
export function useKeysOn(): boolean {
  return useSyncExternalStore(subscribe, areKeysOn, () => true);
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
    // `isOffHere` has the choice.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    // Another window changed the choice. The key is null if it cleared the whole storage.
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
