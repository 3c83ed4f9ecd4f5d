import { Readable } from 'node:stream';
import type { FileOwner, FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import { createMemoryStore, type MemoryStore } from '#server/platform/files/memory-store.ts';
import { formBody } from '#tests/support/forms.ts';

let calls = 0;

export type Sent = { key?: string | undefined; preview?: boolean; takeSettings?: boolean; asReady?: boolean };

/** Sends an export to be taken in. Each call from an address of its own, so that no budget of an address is shared. */
export function sendImport(world: FilesWorld, owner: FileOwner, content: Buffer | string, sent: Sent = {}) {
  calls += 1;
  const { body, type } = formOfImport(content, sent);
  const headers = {
    'content-type': type,
    'sec-fetch-site': 'same-origin',
    'x-forwarded-for': `10.1.${calls >> 8}.${calls & 255}`,
    cookie: owner.browser.cookie ?? '',
  };
  return world.app.inject({ method: 'POST', url: '/api/import-data', headers, payload: body });
}

export function formOfImport(content: Buffer | string, sent: Sent = {}) {
  const given = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return formBody({ fields: Object.fromEntries(given), file: { name: 'export', content } });
}

/** Files in a map, and a way to stop while one of them is being stored. */
export function createGatedStore() {
  const store = createMemoryStore();
  let untilStop = 0;
  let reached = () => {};
  let gate = Promise.resolve();

  async function put(key: string, stream: Readable): Promise<void> {
    untilStop -= 1;
    if (untilStop !== 0) return store.put(key, stream);
    const stopping = async function* () {
      for await (const part of stream) {
        reached();
        await gate;
        yield part;
      }
    };
    await store.put(key, Readable.from(stopping(), { objectMode: false }));
  }

  return {
    store: { ...store, put } satisfies MemoryStore,
    /** Stops at a file, counted from now on, with its first bytes read. */
    stopAt(count: number) {
      untilStop = count;
      const { promise, resolve: goOn } = Promise.withResolvers<void>();
      gate = promise;
      return { isReached: new Promise<void>((resolve) => (reached = resolve)), goOn };
    },
  };
}

export type Row = Record<string, unknown>;
export type Exported = {
  account: Row;
  messages: Row[];
  documents: Row[];
  contacts: Row[];
  checklists: Row[];
};
