import { Readable } from 'node:stream';
import { FileMissingError, type FileStore, requireKey } from './file-store.ts';

const pieceBytes = 65_536;

export type MemoryStore = FileStore & {
  /** Stored files, for a test to read or damage. */
  files: Map<string, Buffer>;
  /** From now on every `put` fails with this error after its first bytes, and every `check`; null ends that. */
  failWith(error: Error | null): void;
};

/** Files in a map, for tests. */
export function createMemoryStore(): MemoryStore {
  const files = new Map<string, Buffer>();
  let failure: Error | null = null;

  return {
    kind: 'memory',
    files,
    failWith(error) {
      failure = error;
    },
    async put(key, stream) {
      requireKey(key);
      const parts: Buffer[] = [];
      for await (const part of stream) {
        if (failure) throw failure;
        parts.push(part);
      }
      files.set(key, Buffer.concat(parts));
    },
    async read(key, { start = 0, end } = { start: 0 }) {
      requireKey(key);
      const content = files.get(key);
      if (!content) throw new FileMissingError();
      const wanted = content.subarray(start, end === undefined ? undefined : end + 1);
      return Readable.from(piecesOf(wanted), { objectMode: false });
    },
    async sizeOf(key) {
      requireKey(key);
      const content = files.get(key);
      if (!content) throw new FileMissingError();
      return content.length;
    },
    async remove(key) {
      requireKey(key);
      files.delete(key);
    },
    removeUnfinished: async () => 0,
    // Tests put files here by hand: all are as old as can be.
    async *list() {
      yield* files.keys();
    },
    async check() {
      if (failure) throw failure;
    },
    close: async () => {},
  };
}

/** Pieces as a disk gives them. */
function* piecesOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes);
}
