export type Device = {
  /** Everything that lies in the database of the browser, as text. */
  text(): string;
  /** Nothing that is written from now on is done before this is over, and none of it is where it fails. */
  writeAfter(disk: Promise<void>): void;
  remove(): void;
};

type Transaction = { objectStore: () => unknown; error: Error; oncomplete?: () => void; onabort?: () => void };
type Request = { result: unknown; error: null; onsuccess?: () => void; onupgradeneeded?: () => void };

/** Stands in for the database that browsers have and the document of the tests has not: one store of names and values. */
export function startDevice(): Device {
  const kept = new Map<string, unknown>();
  let disk = Promise.resolve();
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
    transaction: (_: string, mode: string) => {
      const transaction: Transaction = { objectStore: () => store, error: new Error('The disk is full.') };
      // Behind the answer to its request.
      const isReading = mode === 'readonly';
      (isReading ? Promise.resolve() : disk).then(
        () => setTimeout(() => transaction.oncomplete?.()),
        () => transaction.onabort?.(),
      );
      return transaction;
    },
    close: () => undefined,
  };
  Object.defineProperty(globalThis, 'indexedDB', { configurable: true, value: { open: () => answer(database, true) } });
  return {
    text: () => JSON.stringify([...kept], (_, value) => (value instanceof ArrayBuffer ? decoded(value) : value)),
    writeAfter: (promise) => {
      disk = promise;
    },
    remove: () => Reflect.deleteProperty(globalThis, 'indexedDB'),
  };
}

function decoded(bytes: ArrayBuffer): string {
  return new TextDecoder().decode(bytes);
}
