export type Device = {
  /** Everything that lies in the database of the browser, as text. */
  text(): string;
  remove(): void;
};

type Request = { result: unknown; error: null; onsuccess?: () => void; onupgradeneeded?: () => void };

/** Stands in for the database that browsers have and the document of the tests has not: one store of names and values. */
export function startDevice(): Device {
  const kept = new Map<string, unknown>();
  const answer = (result: unknown, isNew = false): Request => {
    const request: Request = { result, error: null };
    queueMicrotask(() => {
      if (isNew) request.onupgradeneeded?.();
      request.onsuccess?.();
    });
    return request;
  };
  const store = {
    get: (name: string) => answer(kept.get(name)),
    put: (value: unknown, name: string) => answer(kept.set(name, value)),
    delete: (name: string) => answer(kept.delete(name)),
    clear: () => answer(kept.clear()),
  };
  const database = {
    createObjectStore: () => store,
    transaction: () => ({ objectStore: () => store }),
    close: () => undefined,
  };
  Object.defineProperty(globalThis, 'indexedDB', { configurable: true, value: { open: () => answer(database, true) } });
  return {
    text: () => JSON.stringify([...kept], (_, value) => (value instanceof ArrayBuffer ? decoded(value) : value)),
    remove: () => Reflect.deleteProperty(globalThis, 'indexedDB'),
  };
}

function decoded(bytes: ArrayBuffer): string {
  return new TextDecoder().decode(bytes);
}
