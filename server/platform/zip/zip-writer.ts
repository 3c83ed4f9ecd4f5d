import { type Entry, endOfArchive, listedHeader, localHeader, sizesBehind } from './zip-records.ts';

/** Takes bytes of the archive, and resolves when more may come. */
export type Put = (bytes: Buffer) => Promise<void>;

export type NewEntry = Pick<Entry, 'name' | 'method' | 'modifiedAt'> & {
  sealed: AsyncIterable<Buffer>;
  /** Sizes of the entry, or null if only its end will tell. */
  announced: Pick<Entry, 'sizeBytes' | 'sealedBytes'> | null;
  /** Bytes of the content that has passed, before it was compressed and sealed. Asked at the end. */
  passedBytes(): number;
};

/** From here on numbers stand in more bytes than the format had at first. */
export type ZipLimits = { largeFromBytes: number; manyFromEntries: number };
const formatLimits: ZipLimits = { largeFromBytes: 0xffffffff, manyFromEntries: 0xffff };

export type ZipWriter = { add(entry: NewEntry): Promise<void>; end(): Promise<void> };

/** Writes entries that are sealed already one behind the other, then the list of them, which alone is held in memory. */
export function createZipWriter(put: Put, { largeFromBytes, manyFromEntries } = formatLimits): ZipWriter {
  const listed: Buffer[] = [];
  let writtenBytes = 0;

  async function write(bytes: Buffer): Promise<void> {
    writtenBytes += bytes.length;
    await put(bytes);
  }

  return {
    async add({ name, method, modifiedAt, sealed, announced, passedBytes }) {
      const offset = writtenBytes;
      const areSizesBehind = announced === null;
      // Before its end any entry may still grow that large.
      const isLarge = areSizesBehind || announced.sealedBytes >= largeFromBytes;
      const sizes = announced ?? { sizeBytes: 0, sealedBytes: 0 };
      const begun: Entry = { name, method, modifiedAt, ...sizes, offset, areSizesBehind, isLarge };
      await write(localHeader(begun));

      const from = writtenBytes;
      for await (const piece of sealed) await write(piece);
      const entry = { ...begun, sizeBytes: passedBytes(), sealedBytes: writtenBytes - from };
      if (areSizesBehind) await write(sizesBehind(entry));
      else if (entry.sizeBytes !== begun.sizeBytes || entry.sealedBytes !== begun.sealedBytes) {
        throw new Error(`An entry of ${begun.sizeBytes} bytes was announced, and ${entry.sizeBytes} came.`);
      }
      listed.push(listedHeader({ ...entry, isLarge: isLarge || offset >= largeFromBytes }));
    },

    async end() {
      const offset = writtenBytes;
      for (const header of listed) await write(header);
      const sizeBytes = writtenBytes - offset;
      const isLarge = listed.length >= manyFromEntries || writtenBytes >= largeFromBytes;
      await write(endOfArchive({ entries: listed.length, offset, sizeBytes, isLarge }));
    },
  };
}
